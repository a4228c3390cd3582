/** `cutFiles` never splits a fragment, so the limits of a batch must keep its XML within those of a file. */
import { expect, test } from 'vitest';
import { MAX_FILE_XML_BYTES } from '../../src/core/sitemap/limits.ts';
import { UPLOAD_SHAPE } from '../../src/features/uploads/upload-members.ts';
import { verdictOn } from './upload-path.ts';

const { maxBytes, elementBytes } = UPLOAD_SHAPE.limits!;

/** An entry of at most this many bytes of JSON. Nearly all of them are apostrophes: each takes six bytes in XML. */
function entryOf(jsonBytes: number): object {
  const text = "'".repeat(10_000);
  const loc = 'https://example.com/';
  const image = { loc, title: text, caption: text, geo_location: text };
  const room = jsonBytes - JSON.stringify({ loc, images: [] }).length;
  return { loc, images: Array(Math.floor(room / (JSON.stringify(image).length + 1))).fill(image) };
}

test('the heaviest possible batch fits into one file', async () => {
  const urls = [entryOf(maxBytes - 1), entryOf(elementBytes)];
  const body = Buffer.from(JSON.stringify({ urls }));
  expect(body.length).toBeGreaterThan(0.98 * (maxBytes + elementBytes));
  const verdict = await verdictOn(body, [65_536], UPLOAD_SHAPE);
  if (verdict.kind !== 'accepted') throw new Error(verdict.kind);
  const [xml = '', ...others] = verdict.files;
  expect(others).toEqual([]);
  expect(Buffer.byteLength(xml)).toBeGreaterThan(5.8 * body.length);
  expect(Buffer.byteLength(xml)).toBeLessThan(MAX_FILE_XML_BYTES);
});
