/**
 * The entries that the fast path takes. The other tests compare the two paths, and would pass if the kernel took nothing. Here the kernel
 * must take every valid entry: each ordinary spelling by name, then all valid values that the generator knows.
 */
import { expect, test } from 'vitest';
import { EntryTranscoder } from '../../src/core/sitemap/entry-transcoder.ts';
import { MAX_ELEMENT_DEPTH } from '../../src/platform/json/element-scan.ts';
import { batchOfTexts } from '../uploads/batches.ts';
import { ORDINARY_SPELLINGS } from './transcoding/ordinary-spellings.ts';
import { allFields } from './transcoding/places.ts';
import { Random } from './transcoding/random.ts';
import { speltEntries } from './transcoding/spelt-entries.ts';
import { WAYS } from './transcoding/strings.ts';
import { isString, notableStrings, notableTokens } from './transcoding/values.ts';
import { verdictOn } from './transcoding/verdicts.ts';

const random = new Random(1);
const transcoder = new EntryTranscoder();

function isTaken(text: string): boolean {
  const { bytes, ends } = batchOfTexts([text]);
  transcoder.load(bytes, ends);
  return transcoder.transcode(0, 0) === 1;
}

const isValid = (text: string) => verdictOn(text).kind === 'valid' && depthOf(text) <= MAX_ELEMENT_DEPTH;

/** Returns how deep objects and arrays are nested. No deeper entry comes from a document, and the host decides about lines. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const mark of json.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '').replaceAll(/[^[\]{}]/g, '')) {
    depth += mark === '{' || mark === '[' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

test.each(ORDINARY_SPELLINGS)('it takes %s', (_, text) => {
  expect(isValid(text)).toBe(true);
  expect(isTaken(text)).toBe(true);
});

test.each(allFields().map((field) => [field.path, field] as const))(
  'it takes every valid value of %s',
  (_, field) => {
    const { kind, entryWith } = field;
    const values = isString(kind)
      ? Array.from(notableStrings(kind), (text) => random.pick(Object.values(WAYS))(text, random))
      : notableTokens(kind);
    const texts = values.map((value) => entryWith(value)).filter(isValid);
    expect(texts.length).toBeGreaterThan(1);
    expectAllTaken(texts);
  },
);

test('it takes every valid entry in every spelling', () => {
  expectAllTaken(speltEntries(5_000, random).filter(isValid));
});

function expectAllTaken(texts: readonly string[]): void {
  const declined = texts.filter((text) => !isTaken(text));
  const percent = (100 * (1 - declined.length / texts.length)).toFixed(1);
  const some = declined.slice(0, 5).map((text) => text.slice(0, 300));
  expect(some, `it takes ${percent} % of ${texts.length}`).toEqual([]);
}

test('it takes entries up to the first invalid one, and goes on behind it', () => {
  const [valid = '', invalid = ''] = ['{"loc":"https://a.example/"}', '{"loc":"a"}'];
  const { bytes, ends } = batchOfTexts([valid, valid, invalid, valid]);
  transcoder.load(bytes, ends);
  expect(transcoder.transcode(0, 3)).toBe(2);
  expect(transcoder.transcode(3, 3)).toBe(4);
});

test('it has room for entries whose XML is much longer than their JSON', () => {
  const texts = speltEntries(5_000, random);
  for (const character of ["'", '"', '&', '\t', '\r', ' ', 'é', '😀', '%', '\\', '\x7f']) {
    const long = character.repeat(300);
    const url = `https://a.example/${long}`;
    const news = { publication: { name: long, language: 'en' }, publication_date: '2026-01-15', title: long };
    const video = { thumbnail_loc: url, title: character, description: character, content_loc: url };
    texts.push(
      JSON.stringify({
        loc: url,
        images: [{ loc: url, title: long, caption: long, geo_location: long, license: url }],
      }),
      JSON.stringify({ loc: url, hreflang: Array(50).fill({ href: url, hreflang: 'x-default' }) }),
      JSON.stringify({ loc: url, news: { ...news, keywords: long } }),
      JSON.stringify({
        loc: url,
        video: { ...video, tag: Array(32).fill(character), uploader: { name: character, info: url } },
      }),
    );
  }
  const [shortLoc, shortUrl] = ['http://a.co', 'http://a'];
  texts.push(
    JSON.stringify({ loc: shortLoc, images: Array(1_000).fill({ loc: shortUrl }) }),
    JSON.stringify({ loc: shortLoc, hreflang: Array(1_000).fill({ href: shortUrl, hreflang: 'en' }) }),
    ...['1e-24', '1.5e-23', '9e-9'].map((number) => `{"loc":"${shortLoc}","priority":${number}}`),
    '{"loc":"http://ü.ö.ä.é"}',
  );
  expectAllTaken(texts.filter(isValid));
});
