/** stream-json as a second opinion on the entries of a document: the files must hold exactly these. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { pick } from 'stream-json/filters/pick.js';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { expect, test } from 'vitest';
import { fullEntry } from '../sitemap/full-entry.ts';
import { HAND_PICKED_ENTRIES } from '../sitemap/hand-picked-entries.ts';
import { readEntry, readXml } from '../sitemap/read-xml.ts';
import { collect } from '../support/collect.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { anyDocument } from './arbitrary-document.ts';
import { SMALL_BATCHES, verdictOn, WITH_UNKNOWN_MEMBERS } from './upload-path.ts';

/** The entries of each file made from the document. */
async function filesOf(
  body: Uint8Array,
  sizes: readonly number[],
  shape = SMALL_BATCHES,
  entriesPerFile = 5,
) {
  const verdict = await verdictOn(body, sizes, shape, entriesPerFile);
  if (verdict.kind !== 'accepted') throw new Error(JSON.stringify(verdict));
  return verdict.files.map((file) => readXml(file).children.map(readEntry));
}

async function streamedElements(body: Uint8Array): Promise<unknown[]> {
  const elements = Readable.from([body])
    .compose(pick.withParserAsStream({ filter: 'urls', streamValues: false }))
    .compose(streamArray.asStream());
  return (await collect<{ value: unknown }>(elements)).map(({ value }) => value);
}

/** The value without unknown and null members. `model` has every member that is known there. */
function known(value: unknown, model: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => known(element, (model as unknown[])[0]));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(model as object).filter(
    ([name]) => Object.hasOwn(value, name) && Reflect.get(value, name) !== null,
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, known(Reflect.get(value, name), inner)]));
}

test('the files of any document hold the entries that stream-json finds in it, in order', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(anyDocument(6), sizes, async (text, sizes) => {
      const body = Buffer.from(text);
      const files = await filesOf(body, sizes);
      expect(files.every((entries) => entries.length <= 5)).toBe(true);
      expect(files.flat()).toEqual((await streamedElements(body)).map((value) => known(value, fullEntry())));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test("so do those of a document of many entries, in an upload's own batches and files", async () => {
  const entries = Array.from({ length: 700 }, (_, i) => ({
    loc: `https://example.com/${i}`,
    priority: i / 700,
  }));
  const urls = [...entries, ...HAND_PICKED_ENTRIES.map(([, entry]) => entry), ...entries, ...entries];
  const body = Buffer.from(JSON.stringify({ domain: 'maps.example.com', urls }));
  const files = await filesOf(body, [65_536], WITH_UNKNOWN_MEMBERS, 1_000);
  expect(files.length).toBeGreaterThan(2);
  expect(files.flat()).toEqual(await streamedElements(body));
});
