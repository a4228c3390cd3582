/** hyparquet, a reader in JavaScript alone, judges the values of random tables. It writes times without a zone as if they were UTC, so those are not here. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { expect, test } from 'vitest';
import { casesOf } from '../../support/property-runs.ts';
import { createTestReader, TEXT, timestamp, type WrittenColumn, writeParquet } from './parquet-files.ts';

const { rowsOf, batchesOf } = createTestReader();

/** Members without objects, whose rows a kernel writes. */
const FLAT = ['loc', 'lastmod', 'changefreq', 'priority'];
const FLAT_COLUMNS = FLAT.map((name) => `${name}:${name}`).join();

const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { freq: 4 });
/** The writer and Parquet have no lone surrogates. */
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.toWellFormed());
const day = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });

const COLUMNS: Readonly<
  Record<
    string,
    { schema: WrittenColumn['schema']; values: fc.Arbitrary<unknown>; as: (read: never) => unknown }
  >
> = {
  loc: { schema: TEXT, values: text, as: (value: string) => value },
  lastmod: {
    schema: timestamp('MILLIS'),
    values: day,
    // The judge has dates of JavaScript, which always have three digits.
    as: (value: Date) => value.toISOString().replace(/\.?0+Z$/, 'Z'),
  },
  changefreq: {
    schema: TEXT,
    // Few values, which the writer puts into a dictionary.
    values: fc.constantFrom('daily', 'weekly', 'never'),
    as: (value: string) => value,
  },
  priority: {
    schema: { type: 'DOUBLE' },
    values: fc.double({ noNaN: true, noDefaultInfinity: true }),
    // JSON of numbers has no negative zero.
    as: (value: number) => value + 0,
  },
  video_duration: {
    schema: { type: 'INT64' },
    values: fc.bigInt({ min: 0n, max: 2n ** 53n }),
    as: (value: bigint) => Number(value),
  },
  video_live: { schema: { type: 'BOOLEAN' }, values: fc.boolean(), as: (value: boolean) => value },
  news_publication_date: {
    schema: { type: 'INT32', converted_type: 'DATE' },
    values: day,
    as: (value: Date) => value.toISOString().slice(0, 10),
  },
};

const tables = fc
  .record({
    rows: fc.integer({ min: 1, max: 300 }),
    // The judge refuses an empty page in LZ4.
    codec: fc.constantFrom('UNCOMPRESSED' as const, 'SNAPPY' as const, 'GZIP' as const, 'ZSTD' as const),
    rowGroupSize: fc.integer({ min: 1, max: 200 }),
    pageSize: fc.constantFrom(64, 1024, 1_048_576),
  })
  .chain(({ rows, ...options }) =>
    fc.record({
      options: fc.constant(options),
      data: fc.tuple(
        ...Object.values(COLUMNS).map(({ values }) =>
          fc.array(orNull(values), { minLength: rows, maxLength: rows }),
        ),
      ),
    }),
  );

test('all values of a table are those that the judge reads', async () => {
  await fc.assert(
    fc.asyncProperty(tables, async ({ options, data }) => {
      const columns = Object.entries(COLUMNS).map(([name, { schema }], i) => ({
        name,
        schema,
        data: data[i]!,
      }));
      const file = writeParquet(columns, options);
      const judged = await parquetReadObjects({ file: Uint8Array.from(file).buffer, compressors });
      expect((await rowsOf(file)).map(flat)).toEqual(judged.map((row) => expected(row)));
      const flatRows = await rowsOf(file, { columns: FLAT_COLUMNS });
      expect(flatRows).toEqual(judged.map((row) => expected(row, FLAT)));
    }),
    { numRuns: casesOf(30) },
  );
});

test('rows that a kernel writes make the batches that they make one by one', async () => {
  const texts = [
    'https://example.com/',
    '"',
    '\\',
    '\n\u0001\u001f',
    'é😀',
    '',
    'x'.repeat(2_000_000),
    'y'.repeat(700_000),
  ];
  const textAt = (i: number) =>
    i % 1500 === 7 ? texts[6 + ((i / 1500) & 1)]! : texts[i % 6]!.repeat(i % 40);
  const rows = Array.from({ length: 12_345 }, (_, i) => i);
  const column = (name: string, at: (i: number) => unknown) => ({
    name,
    schema: TEXT,
    data: rows.map((i) => (i % 7 === 3 ? null : at(i))),
  });
  const columns = [column('changefreq', (i) => (i % 3 === 0 ? null : textAt(i + 1))), column('loc', textAt)];
  const file = writeParquet(columns, { rowGroupSize: 3456 });
  const written = async (query: Record<string, string>) =>
    (await batchesOf(file, query)).map(({ bytes, ends }) => [
      createHash('sha256').update(bytes).digest('hex'),
      [...ends],
    ]);
  // A condition keeps all rows from the kernel.
  expect(await written({})).toEqual(await written({ where: 'loc:*' }));
});

/** The members of an entry by the names of their columns. */
function flat(row: unknown): object {
  const { video = {}, news = {}, ...rest } = row as Record<string, Record<string, unknown>>;
  return { ...rest, ...named('video', video), ...named('news', news) };
}

const named = (prefix: string, members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [`${prefix}_${name}`, value]));

function expected(row: Record<string, unknown>, names = Object.keys(COLUMNS)): object {
  return Object.fromEntries(
    Object.entries(COLUMNS)
      .filter(([name]) => names.includes(name) && row[name] !== null && row[name] !== '')
      .map(([name, { as }]) => [name, as(row[name] as never)]),
  );
}
