/** Damaged and hostile files: each one has an answer, and the reader then reads a good file. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { FileMetaData } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js';
import { describe, expect, test } from 'vitest';
import { casesOf } from '../../support/property-runs.ts';
import { createTestReader, TEXT, timestamp, withFooter, writeParquet } from './parquet-files.ts';

const { outcomeOf } = createTestReader();
const ROWS = 120;
const GOOD = writeParquet(
  [
    { name: 'loc', data: Array.from({ length: ROWS }, (_, i) => `https://example.com/${i}`), schema: TEXT },
    {
      name: 'lastmod',
      data: Array.from({ length: ROWS }, (_, i) => new Date(1.7e12 + i)),
      schema: timestamp('MICROS'),
    },
    {
      name: 'priority',
      data: Array.from({ length: ROWS }, (_, i) => (i % 10) / 10),
      schema: { type: 'DOUBLE' },
    },
  ],
  { rowGroupSize: 50 },
);
const FOOTER_AT = GOOD.length - 8 - GOOD.readUInt32LE(GOOD.length - 8);

/** Every outcome is a number of rows or a refusal; any other error fails the test. */
const ANSWER = /^(?:BAD_REQUEST|VALIDATION_ERROR) /;

async function answers(file: Buffer): Promise<void> {
  const outcome = await outcomeOf(file);
  if (typeof outcome === 'string') expect(outcome).toMatch(ANSWER);
  else expect(outcome).toBeLessThanOrEqual(ROWS);
}

test('a file that is cut anywhere is refused without a thread', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(GOOD.length - 1), async (length) => {
      expect(await outcomeOf(GOOD.subarray(0, length))).toMatch(
        /^BAD_REQUEST .*(?:is no Parquet file|must end in PAR1)/,
      );
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['gzip', gzipSync(GOOD), 'is compressed by gzip: name it in Content-Encoding'],
  ['Arrow', Buffer.from('ARROW1\0\0'), 'is Arrow IPC, or Feather: write it as Parquet'],
  ['no file', Buffer.from('loc\n'), 'is no Parquet file'],
])('a file of another kind is named: %s', async (_, file, message) => {
  expect(await outcomeOf(file)).toContain(message);
});

test('a file that is cut and gets a new end has an answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 4, max: GOOD.length - 8 }), (length) =>
      answers(Buffer.concat([GOOD.subarray(0, length), GOOD.subarray(GOOD.length - 8)])),
    ),
    { numRuns: casesOf(3) },
  );
});

const places = (from: number, to: number) =>
  fc.uniqueArray(
    fc.record({ at: fc.integer({ min: from, max: to - 1 }), byte: fc.integer({ min: 0, max: 255 }) }),
    {
      minLength: 1,
      maxLength: 4,
      selector: ({ at }) => at,
    },
  );

test.each([
  ['pages', 4, FOOTER_AT],
  ['the footer', FOOTER_AT, GOOD.length - 8],
  ['the length of the footer', GOOD.length - 8, GOOD.length - 4],
])('other bytes in %s have an answer', async (_, from, to) => {
  await fc.assert(
    fc.asyncProperty(places(from, to), async (changes) => {
      const file = Buffer.from(GOOD);
      for (const { at, byte } of changes) file[at] = byte;
      await answers(file);
    }),
    { numRuns: casesOf(5) },
  );
  expect(await outcomeOf(GOOD)).toBe(ROWS);
});

const LIES: Readonly<Record<string, (metadata: FileMetaData) => void>> = {
  'more values than pages have': ({ row_groups }) => {
    for (const { columns } of row_groups) columns[0]!.meta_data!.num_values = 2n ** 60n;
  },
  'more rows than there are': (metadata) => {
    metadata.num_rows = 2n ** 60n;
    for (const group of metadata.row_groups) group.num_rows = 2n ** 60n;
  },
  'a negative number of rows': ({ row_groups }) => {
    row_groups[0]!.num_rows = -1n;
  },
  'columns behind the end': ({ row_groups }) => {
    row_groups[0]!.columns[0]!.meta_data!.data_page_offset = 2n ** 40n;
  },
  'columns before the beginning': ({ row_groups }) => {
    row_groups[0]!.columns[0]!.meta_data!.data_page_offset = -5n;
  },
  'columns that are too long': ({ row_groups }) => {
    row_groups[0]!.columns[0]!.meta_data!.total_compressed_size = 2n ** 33n;
  },
  'a negative length': ({ row_groups }) => {
    row_groups[0]!.columns[0]!.meta_data!.total_compressed_size = -1n;
  },
  'another codec': ({ row_groups }) => {
    row_groups[0]!.columns[0]!.meta_data!.codec = 'ZSTD';
  },
  'another type': ({ row_groups, schema }) => {
    schema[1]!.type = 'INT64';
    delete schema[1]!.converted_type;
    for (const { columns } of row_groups) {
      columns[0]!.meta_data!.type = 'INT64';
      delete columns[0]!.meta_data!.statistics;
    }
  },
  'the same pages in two columns': ({ row_groups }) => {
    row_groups[0]!.columns[1]!.meta_data = row_groups[0]!.columns[0]!.meta_data!;
  },
  'no columns': (metadata) => {
    metadata.schema = [{ name: 'root', num_children: 0 }];
    emptyGroups(metadata);
  },
  'more row groups than a file may have': (metadata) => {
    metadata.row_groups = Array.from({ length: 10_001 }, () => metadata.row_groups[0]!);
  },
  'more columns than a table may have': ({ schema }) => {
    schema[0]!.num_children! += 2000;
    schema.push(...Array.from({ length: 2000 }, (_, i) => ({ ...schema[1]!, name: `c${i}` })));
  },
};

/** The writer looks for the columns of groups in the schema. */
function emptyGroups({ row_groups }: FileMetaData): void {
  for (const group of row_groups) group.columns = [];
}

/** The reader takes the bytes of a column for values of any type, and ignores the number of values. The rules of entries see such values later. */
const HARMLESS = ['more values than pages have', 'another type', 'the same pages in two columns'];

describe('a footer that says', () => {
  test.each(Object.entries(LIES))('%s is refused, unless all rows can be read', async (name, lie) => {
    const file = withFooter(GOOD, lie);
    if (HARMLESS.includes(name)) return answers(file);
    expect(await outcomeOf(file)).toMatch(ANSWER);
  });
});

/** The elements of a schema, in order, each with its number of children. The writer would not write these. */
const SCHEMAS: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  'more children than elements': [
    ['root', 2 ** 30],
    ['loc', 0],
  ],
  'a negative number of children': [
    ['root', -1],
    ['loc', 0],
  ],
  'elements in elements without an end': [
    ['root', 1],
    ...Array.from({ length: 50_000 }, () => ['a', 1] as const),
  ],
  nothing: [],
};

describe('a schema with', () => {
  test.each(Object.entries(SCHEMAS))('%s is refused', async (_, elements) => {
    const footer = new ByteWriter();
    serializeTCompactProtocol(footer, {
      field_1: 2,
      field_2: elements.map(([name, children]) => ({ field_3: 1, field_4: name, field_5: children })),
      field_3: 1n,
      field_4: [{ field_1: [{ field_2: 4n }], field_2: 0n, field_3: 1n }],
    });
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.offset);
    const file = Buffer.concat([Buffer.from('PAR1'), footer.getBytes(), length, Buffer.from('PAR1')]);
    expect(await outcomeOf(file)).toMatch(ANSWER);
    expect(await outcomeOf(GOOD)).toBe(ROWS);
  });
});

/** More than the module may have. */
const BOMB_BYTES = 256 * 1024 * 1024;

test.each([
  ['ZSTD', zstdCompressSync],
  ['GZIP', gzipSync],
] as const)('a page that inflates to 256 MiB by %s is refused', async (codec, compress) => {
  const bomb = compress(Buffer.alloc(BOMB_BYTES));
  const file = writeParquet([{ name: 'loc', data: ['https://example.com/'], schema: TEXT }], {
    codec,
    compressors: { [codec]: () => bomb },
  });
  expect(file.length).toBeLessThan(1_000_000);
  expect(await outcomeOf(file)).toMatch(/^BAD_REQUEST /);
  expect(await outcomeOf(GOOD)).toBe(ROWS);
});

test('large footers of one file after the other do not fill the memory of the thread', async () => {
  const groups = 25;
  const column = (name: string, texts: string) => ({
    name,
    data: Array.from({ length: groups }, (_, i) => `${texts}${i}`),
    schema: TEXT,
  });
  const others = Array.from({ length: 1500 }, (_, i) => column(`column ${i}`, ''));
  const file = writeParquet([column('loc', 'https://example.com/'), ...others], { rowGroupSize: 1 });
  for (let i = 0; i < 12; i++) expect(await outcomeOf(file, { columns: 'loc' })).toBe(groups);
});
