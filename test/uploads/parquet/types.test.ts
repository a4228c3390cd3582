/** Each type of a column that an upload takes, with its result, and the types that would need a guess. */
import type { CompressionCodec, SchemaElement } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import {
  COMPRESSORS,
  createTestReader,
  TEXT,
  timestamp,
  type WrittenColumn,
  withFooter,
  writeParquet,
} from './parquet-files.ts';

const { rowsOf, entriesOf, outcomeOf, batchesOf } = createTestReader();
const LOC = 'https://example.com/a';

type Schema = WrittenColumn['schema'];

const loc: WrittenColumn = { name: 'loc', data: [LOC], schema: TEXT };
const fileOf = (name: string, schema: Schema, value: unknown) =>
  writeParquet([loc, { name, data: [value], schema }]);

const AT = new Date('2026-01-15T10:00:00.120Z');
const decimal = (type: 'INT32' | 'INT64', scale: number) => ({
  type,
  converted_type: 'DECIMAL' as const,
  precision: 9,
  scale,
});

test.each<[string, Schema, unknown, unknown]>([
  ['lastmod', timestamp('MILLIS'), AT, '2026-01-15T10:00:00.12Z'],
  ['lastmod', timestamp('MICROS'), 1768471200123456n, '2026-01-15T10:00:00.123456Z'],
  ['lastmod', timestamp('NANOS'), 1768471200123456789n, '2026-01-15T10:00:00.123456789Z'],
  ['lastmod', timestamp('MICROS'), 1768471200000000n, '2026-01-15T10:00:00Z'],
  ['lastmod', timestamp('MICROS'), -1n, '1969-12-31T23:59:59.999999Z'],
  ['lastmod', timestamp('MICROS'), 253402300799999999n, '9999-12-31T23:59:59.999999Z'],
  ['lastmod', { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }, AT, '2026-01-15T10:00:00.12Z'],
  ['lastmod', { type: 'INT32', converted_type: 'DATE' }, AT, '2026-01-15'],
  ['lastmod', TEXT, '2026-01-15 10:00:00+02', '2026-01-15 10:00:00+02'],
  ['priority', { type: 'DOUBLE' }, 0.8, 0.8],
  ['priority', { type: 'FLOAT' }, 0.8, 0.8],
  // It needs nine digits, the most of a number of 32 bits.
  ['priority', { type: 'FLOAT' }, 0.108230114, 0.108230114],
  ['priority', decimal('INT32', 1), 0.8, 0.8],
  ['priority', decimal('INT64', 3), 0.005, 0.005],
  ['priority', { type: 'INT32' }, 1, 1],
  ['priority', TEXT, '0.8', 0.8],
  ['video_duration', { type: 'INT64' }, 180n, 180],
  ['video_duration', { type: 'DOUBLE' }, 180, 180],
  ['video_live', { type: 'BOOLEAN' }, true, true],
  ['video_live', TEXT, 'yes', true],
  ['video_live', { type: 'INT32' }, 1, true],
  ['image_title', TEXT, 'a "quoted"\\ title\n✓', 'a "quoted"\\ title\n✓'],
  ['image_title', { type: 'BYTE_ARRAY' }, Buffer.from('bytes ✓'), 'bytes ✓'],
  ['image_title', { type: 'INT32' }, 1984, '1984'],
])('%s as %o: %s becomes %s', async (name, schema, value, expected) => {
  const [row] = await rowsOf(fileOf(name, schema, value));
  const written = JSON.stringify(expected);
  expect(JSON.stringify(row)).toContain(`:${written}`);
  expect(await rowsOf(fileOf(name, schema, null))).toEqual([{ loc: LOC }]);
});

test('NaN and an empty text are no values, as in files of pandas', async () => {
  expect(await rowsOf(fileOf('priority', { type: 'DOUBLE' }, Number.NaN))).toEqual([{ loc: LOC }]);
  expect(await rowsOf(fileOf('changefreq', TEXT, ''))).toEqual([{ loc: LOC }]);
});

test('infinity is a violation and not a damaged file', async () => {
  const [violations] = await entriesOf(fileOf('priority', { type: 'DOUBLE' }, Infinity));
  expect(violations).toEqual(['1 priority must be a number from 0 to 1']);
});

test('bytes that are no UTF-8 are a violation of their rule, or marked', async () => {
  const rows = await rowsOf(fileOf('image_title', { type: 'BYTE_ARRAY' }, Buffer.from([0x61, 0xff])));
  expect(rows).toEqual([{ loc: LOC, images: [{ title: 'a\uFFFD' }] }]);
});

describe('times without a zone', () => {
  const file = fileOf('lastmod', timestamp('MICROS', false), 1768471200000000n);

  test('are refused with the parameter that helps', async () => {
    expect(await outcomeOf(file)).toMatch(
      /^VALIDATION_ERROR lastmod: is a TIMESTAMP without a time zone: add timezone=/,
    );
  });

  test.each([
    ['UTC', '2026-01-15T10:00:00Z'],
    ['Europe/Berlin', '2026-01-15T10:00:00+01:00'],
    ['+02:00', '2026-01-15T10:00:00+02:00'],
  ])('get that of timezone=%s', async (timezone, lastmod) => {
    expect(await entriesOf(file, { timezone })).toEqual([{ loc: LOC, lastmod }]);
  });

  test('may stand in a column that is not read', async () => {
    expect(await rowsOf(file, { columns: 'loc' })).toEqual([{ loc: LOC }]);
  });

  test('are also those of INT96, as Spark and Hive write them', async () => {
    const bytes = Buffer.alloc(12);
    bytes.writeBigUInt64LE(36_000_000_000_000n);
    bytes.writeUInt32LE(2_440_588 + 20_468, 8);
    const fixed = fileOf('lastmod', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 12 }, new Uint8Array(bytes));
    const int96 = withFooter(fixed, ({ schema, row_groups }) => {
      schema[2]!.type = 'INT96';
      delete schema[2]!.type_length;
      const column = row_groups[0]!.columns[1]!.meta_data!;
      column.type = 'INT96';
      delete column.statistics;
    });
    expect(await outcomeOf(int96)).toMatch(/add timezone=.*INT96 of Spark and Hive is UTC/);
    expect(await entriesOf(int96, { timezone: 'UTC' })).toEqual([
      { loc: LOC, lastmod: '2026-01-15T10:00:00Z' },
    ]);
  });
});

const list = (name: string, element: readonly SchemaElement[]): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ...element,
];
const optional = (name: string, more: Omit<SchemaElement, 'name'> = TEXT): SchemaElement => ({
  name,
  repetition_type: 'OPTIONAL',
  ...more,
});

describe('lists and objects', () => {
  test('a list of texts is one of images', async () => {
    const file = fileOf('images', list('images', [optional('element')]), [
      'https://example.com/1.png',
      null,
      'https://example.com/2.png',
    ]);
    expect(await rowsOf(file)).toEqual([
      { loc: LOC, images: [{ loc: 'https://example.com/1.png' }, { loc: 'https://example.com/2.png' }] },
    ]);
  });

  test('a list of objects is as in JSON', async () => {
    const schema = list('hreflang', [
      { ...optional('element', {}), num_children: 2 },
      optional('href'),
      optional('hreflang'),
    ]);
    const hreflang = [{ href: 'https://example.com/de', hreflang: 'de' }];
    expect(await rowsOf(fileOf('hreflang', schema, hreflang))).toEqual([{ loc: LOC, hreflang }]);
  });

  test('one without elements stays as in JSON', async () => {
    expect(await rowsOf(fileOf('images', list('images', [optional('element')]), []))).toEqual([
      { loc: LOC, images: [] },
    ]);
  });

  test('a column has another name by columns=', async () => {
    const file = fileOf('pictures', list('pictures', [optional('element')]), ['https://example.com/1.png']);
    expect(await rowsOf(file, { columns: 'loc,images:pictures' })).toEqual([
      { loc: LOC, images: [{ loc: 'https://example.com/1.png' }] },
    ]);
  });

  test('a column may have a name with letters of any script', async () => {
    const file = fileOf('größe', list('größe', [optional('element')]), ['https://example.com/1.png']);
    expect(await rowsOf(file, { columns: 'loc,images:größe' })).toEqual([
      { loc: LOC, images: [{ loc: 'https://example.com/1.png' }] },
    ]);
  });

  test('a whole list and a part of it cannot stand together', async () => {
    const columns = [
      loc,
      { name: 'images', data: [[]], schema: list('images', [optional('element')]) },
      { name: 'image_loc', data: [LOC], schema: TEXT },
    ];
    expect(await outcomeOf(writeParquet(columns))).toBe(
      'VALIDATION_ERROR image_loc: is a part of images, so only one of them can be read',
    );
  });
});

test.each<[string, Schema, unknown, string]>([
  ['title', list('title', [optional('element')]), ['a'], 'title: is not known here'],
  [
    'image_title',
    list('image_title', [optional('element')]),
    ['a'],
    'image_title: must be a text, a number, a date or a time, but is a LIST',
  ],
  [
    'lastmod',
    { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: true, unit: 'MICROS' } },
    1n,
    'lastmod: must be a text, a number, a date or a time, but is a TIME',
  ],
  [
    'image_title',
    { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 3 },
    Buffer.from('abc'),
    'image_title: must be a text, a number, a date or a time, but is a FIXED_LEN_BYTE_ARRAY',
  ],
  [
    'images',
    TEXT,
    'https://example.com/1.png',
    'images: must be a LIST or a STRUCT, as in JSON, but is a text',
  ],
  ['news', { type: 'INT32' }, 1, 'news: must be a LIST or a STRUCT, as in JSON, but is an INT'],
])('%s as %o is refused', async (name, schema, value, message) => {
  expect(await outcomeOf(fileOf(name, schema, value))).toContain(`VALIDATION_ERROR ${message}`);
});

test.each<CompressionCodec>(['UNCOMPRESSED', 'SNAPPY', ...(Object.keys(COMPRESSORS) as CompressionCodec[])])(
  'pages may be compressed by %s',
  async (codec) => {
    const data = Array.from({ length: 500 }, (_, i) => `${LOC}${i}`);
    const file = writeParquet([{ name: 'loc', data, schema: TEXT }], { codec, rowGroupSize: 200 });
    expect(await rowsOf(file)).toEqual(data.map((text) => ({ loc: text })));
  },
);

test('conditions leave out rows, by the text of any column', async () => {
  const file = writeParquet([
    {
      name: 'url',
      data: ['https://example.com/1', 'https://example.com/2', 'https://example.com/3'],
      schema: TEXT,
    },
    { name: 'Status Code', data: [200, 404, 200], schema: { type: 'INT32' } },
    { name: 'type', data: ['text/html', 'text/html', null], schema: TEXT },
  ]);
  const query = { columns: 'loc:URL', where: ['Status Code:200', 'type:text/*'] };
  expect(await rowsOf(file, query)).toEqual([{ loc: 'https://example.com/1' }, 'filtered', 'filtered']);
  expect(await entriesOf(file, query)).toEqual([{ loc: 'https://example.com/1' }]);
});

test('violations name the row and the column, also behind values that are absent', async () => {
  const file = writeParquet([
    { name: 'address', data: [LOC, LOC], schema: TEXT },
    { name: 'hreflang:de', data: [null, LOC], schema: TEXT },
    { name: 'hreflang:fr', data: ['nothing', 'https://example.com/fr'], schema: TEXT },
    { name: 'priority', data: [0.5, 7], schema: { type: 'DOUBLE' } },
  ]);
  const columns = 'loc:address,hreflang:de,hreflang:fr,priority';
  expect(await entriesOf(file, { columns })).toEqual([
    [expect.stringMatching(/^1 hreflang:fr must be/)],
    [expect.stringMatching(/^2 priority must be/)],
  ]);
});

test('relative URLs get a base', async () => {
  const file = writeParquet([{ name: 'loc', data: ['/a'], schema: TEXT }]);
  expect(await entriesOf(file, { baseUrl: 'https://example.com' })).toEqual([{ loc: LOC }]);
});

test('a file without rows has no batch', async () => {
  const file = writeParquet([{ name: 'loc', data: [], schema: TEXT }]);
  // The writer gives the empty list of row groups another type than the format has.
  file[file.lastIndexOf(Buffer.from([0x19, 0x00])) + 1] = 0x0c;
  expect(await batchesOf(file)).toEqual([]);
});

test('unknown columns are refused with what takes the others', async () => {
  const file = writeParquet([{ name: 'url', data: [LOC], schema: TEXT }]);
  expect(await outcomeOf(file)).toMatch(/url: is not known here.*add columns=loc:url/);
});

test('a name of any script may begin the name of another column', async () => {
  const file = writeParquet(['адрес', 'адреса'].map((name) => ({ name, data: [LOC], schema: TEXT })));
  expect(await rowsOf(file, { columns: 'loc:адрес' })).toEqual([{ loc: LOC }]);
});
