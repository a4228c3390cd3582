import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entrySchema } from '../../src/core/sitemap/entry.ts';
import { accepted, refusedFields } from './document.ts';
import { fullEntry, fullEntryWith, TEXT_FIELDS, URL_FIELDS } from './full-entry.ts';

const OPTIONAL_FIELDS = [
  ...['lastmod', 'changefreq', 'priority', 'images', 'hreflang', 'news', 'video'],
  ...['images[0].title', 'images[0].caption', 'images[0].geo_location', 'images[0].license'],
  ...['news.keywords', 'news.stock_tickers'],
  ...['video.content_loc', 'video.player_loc', 'video.duration', 'video.view_count', 'video.rating'],
  ...['video.publication_date', 'video.expiration_date', 'video.family_friendly', 'video.live', 'video.tag'],
  ...['video.category', 'video.uploader', 'video.uploader.info'],
];
const REQUIRED_FIELDS = [
  ...['loc', 'images[0].loc', 'hreflang[0].href', 'hreflang[0].hreflang', 'news.publication', 'news.title'],
  ...['news.publication.name', 'news.publication.language', 'news.publication_date', 'video.thumbnail_loc'],
  ...['video.title', 'video.description', 'video.uploader.name'],
];

test('the full entry is accepted unchanged', () => {
  expect(accepted(fullEntry())).toEqual(fullEntry());
});

test.each(OPTIONAL_FIELDS)('%s may be null, which means absent', (field) => {
  const entry = accepted(fullEntryWith(field, null));
  expect(entry).toEqual(accepted(fullEntryWith(field, undefined)));
  expect(JSON.stringify(entry)).not.toContain('null');
});

test('every member is either optional or required', () => {
  const inLists = ['images[0]', 'hreflang[0]', 'video.tag[0]'];
  const fields = pathsIn(fullEntry()).filter((field) => !inLists.includes(field));
  expect([...OPTIONAL_FIELDS, ...REQUIRED_FIELDS].sort()).toEqual(fields.sort());
});

/** The paths of all members. A list counts with its first element. */
function pathsIn(value: unknown, path = ''): string[] {
  const own = path === '' ? [] : [path];
  if (Array.isArray(value)) return [...own, ...pathsIn(value[0], `${path}[0]`)];
  if (typeof value !== 'object' || value === null) return own;
  const members = Object.entries(value).flatMap(([name, inner]) =>
    pathsIn(inner, path === '' ? name : `${path}.${name}`),
  );
  return [...own, ...members];
}

test.each(REQUIRED_FIELDS)('%s may be neither null nor absent', (field) => {
  expect(refusedFields(fullEntryWith(field, null))).toEqual([field]);
  expect(refusedFields(fullEntryWith(field, undefined))).toEqual([field]);
});

test.each([...TEXT_FIELDS, ...URL_FIELDS, 'lastmod', 'hreflang[0].hreflang'])(
  '%s must be a string',
  (field) => {
    for (const value of [7, true, {}, []])
      expect(refusedFields(fullEntryWith(field, value))).toEqual([field]);
  },
);

test.each(TEXT_FIELDS)('%s must not hold characters that XML forbids', (field) => {
  for (const value of ['a\0', '\ud800', '\uffff'])
    expect(refusedFields(fullEntryWith(field, value))).toEqual([field]);
});

test.each([
  'news.publication.name',
  'news.title',
  'video.title',
  'video.description',
  'video.tag[0]',
  'video.uploader.name',
])('%s must not be empty', (field) => expect(refusedFields(fullEntryWith(field, ''))).toEqual([field]));

describe('lengths are counted in code points', () => {
  test.each([
    ['video.title', 100],
    ['video.description', 2_048],
    ['video.category', 256],
    ['video.uploader.name', 255],
    ['images[0].caption', 10_000],
    ['news.publication.name', 10_000],
    ['video.tag[0]', 10_000],
  ])('%s: %d', (field, max) => {
    expect(refusedFields(fullEntryWith(field, '😀'.repeat(max)))).toEqual([]);
    expect(refusedFields(fullEntryWith(field, '😀'.repeat(max + 1)))).toEqual([field]);
  });
});

describe('lists have a maximum length', () => {
  const { images, hreflang } = fullEntry();
  test.each([
    ['images', images[0], 1_000],
    ['hreflang', hreflang[0], 1_000],
    ['video.tag', 'tag', 32],
  ])('%s: %s, %d', (field, element, max) => {
    expect(refusedFields(fullEntryWith(field, Array(max).fill(element)))).toEqual([]);
    expect(refusedFields(fullEntryWith(field, Array(max + 1).fill(element)))).toEqual([field]);
  });
});

describe('numbers and codes', () => {
  test.each([
    ['priority', [0, -0, 1e-24, 1e-7, 0.1 + 0.2, 0.64, 1], [-0.1, 1.1, 1e-25, 5e-324, '0.5', Infinity, true]],
    ['changefreq', ['always', 'never'], ['Daily', ' daily', '', 7]],
    ['video.duration', [1, 28_800], [0, 28_801, 1.5, '60']],
    ['video.rating', [0, 2.345, 5], [-1, 5.01, 1.5e-24, '5']],
    ['video.view_count', [0, 2 ** 53 - 1], [-1, 2 ** 53, 0.5, '7']],
    ['video.live', [true, false], ['yes', 'true', 0, 1]],
    ['video.family_friendly', [true, false], ['no', 0]],
    ['hreflang[0].hreflang', ['x-default', 'zh-Hant-TW'], ['en_US', 'english', '']],
    ['news.stock_tickers', ['', 'NASDAQ:GOOG'], ['GOOG', 'A:1;B:2']],
    ['news.publication_date', ['1999-01-01', '2026-01-15T10:00:00Z'], ['2026-01-15T10:00', 0]],
  ])('%s', (field, good, bad) => {
    for (const value of good) expect(refusedFields(fullEntryWith(field, value))).toEqual([]);
    for (const value of bad) expect(refusedFields(fullEntryWith(field, value))).toEqual([field]);
  });
});

test("a publication's language is written in lower case, a code of hreflang as given", () => {
  expect(accepted(fullEntryWith('news.publication.language', 'ZH-CN')).news?.publication.language).toBe(
    'zh-cn',
  );
  expect(accepted(fullEntryWith('hreflang[0].hreflang', 'DE-at')).hreflang?.[0]?.hreflang).toBe('DE-at');
});

describe('a video', () => {
  const { content_loc, player_loc, ...neither } = fullEntry().video;

  test('needs one of content_loc and player_loc', () => {
    expect(refusedFields({ loc: 'https://a.example/', video: neither })).toEqual(['video']);
    expect(refusedFields({ loc: 'https://a.example/', video: { ...neither, content_loc: null } })).toEqual([
      'video',
    ]);
    expect(refusedFields({ loc: 'https://a.example/', video: { ...neither, player_loc } })).toEqual([]);
    expect(refusedFields({ loc: 'https://a.example/', video: { ...neither, content_loc } })).toEqual([]);
  });

  test('whose only location is wrong gets a violation about that location', () => {
    expect(refusedFields({ loc: 'https://a.example/', video: { ...neither, player_loc: 'x' } })).toEqual([
      'video.player_loc',
    ]);
  });

  test('that is not an object gets a single violation', () => {
    for (const video of [7, 'x', []])
      expect(refusedFields({ loc: 'https://a.example/', video })).toEqual(['video']);
  });
});

test('a loc below the 12 characters of the protocol is refused, another short URL is not', () => {
  expect(accepted({ loc: 'http://a.co' }).loc).toBe('http://a.co/');
  expect(refusedFields({ loc: 'http://a.b' })).toEqual(['loc']);
  expect(refusedFields(fullEntryWith('images[0].loc', 'http://a.b'))).toEqual([]);
});

test('the schema describes itself as JSON Schema, for the API description', () => {
  const schema = z.toJSONSchema(entrySchema);
  expect(schema.required).toEqual(['loc']);
  expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(fullEntry()));
});
