/**
 * Files of other programs: `written/arrow-*` are by PyArrow 25, as pandas and Polars write theirs, `written/duckdb*` by
 * DuckDB 1.5.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTestReader } from './parquet-files.ts';

const { entriesOf, outcomeOf } = createTestReader();
const written = (name: string) => readFileSync(new URL(`written/${name}.parquet`, import.meta.url));

const [one, two, three] = [1, 2, 3].map((n) => ({ loc: `https://example.com/${n}` }));
const png = (n: number) => `https://example.com/${n}.png`;
const IMAGES = [{ loc: png(1), title: 'a' }, { loc: png(2) }];

test.each<[string, readonly unknown[]]>([
  [
    'arrow-views',
    [
      {
        ...one,
        ...{ lastmod: '2026-01-15T10:00:00Z', changefreq: 'daily', priority: 0.8 },
        images: IMAGES,
      },
      two,
      { ...three, lastmod: '2026-01-15T10:00:00Z', changefreq: 'weekly', priority: 1, images: [] },
    ],
  ],
  [
    'arrow-categories',
    [
      { ...one, lastmod: '2026-01-15T10:00:00Z', changefreq: 'weekly', images: [{ loc: png(1) }] },
      { ...two, lastmod: '2026-01-15T10:00:00Z', changefreq: 'daily', images: [{ loc: png(1) }] },
      { ...three, images: [{ loc: png(1) }] },
    ],
  ],
  [
    'arrow-encodings',
    [
      { ...one, lastmod: '2026-01-15', changefreq: 'daily', priority: 0.5 },
      two,
      { ...three, lastmod: '2026-01-15', changefreq: 'weekly', priority: 0.25 },
    ],
  ],
  ['arrow-empty-groups', [one, two, three]],
  ['arrow-no-groups', []],
  [
    'duckdb',
    [
      {
        ...one,
        ...{ lastmod: '2026-01-15T10:00:00.123456Z', changefreq: 'daily', priority: 0.8 },
        images: IMAGES,
      },
      {
        ...two,
        ...{ lastmod: '2026-01-15T10:00:00.123456Z', changefreq: 'weekly', priority: 0.8 },
        images: IMAGES,
      },
    ],
  ],
  [
    'duckdb-v2',
    [
      { ...one, lastmod: '2026-01-15T10:00:00.123456Z', priority: 1 },
      { ...two, lastmod: '2026-01-15T10:00:00.123456Z', priority: 1 },
    ],
  ],
])('%s is read as its types say', async (name, entries) => {
  expect(await entriesOf(written(name))).toEqual(entries);
});

test('a violation in a list names its place, as in JSON', async () => {
  expect(await entriesOf(written('arrow-nested-lists'))).toEqual([
    ['1 images[0] must be an object with the loc of an image'],
    two,
    { ...three, images: [] },
  ]);
});

test.each([
  ['arrow-map', 'images: must be a LIST or a STRUCT, as in JSON, but is a MAP'],
  ['arrow-int96', 'INT96 of Spark and Hive is UTC'],
])('%s is refused: %s', async (name, sentence) => {
  expect(await outcomeOf(written(name))).toContain(sentence);
});
