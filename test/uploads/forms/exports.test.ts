/**
 * The files that tools write by default, with their parameters, make the same XML as the same entries written by hand as JSON. The files are
 * in `shared/exports`, beside the checkout. Where that folder is missing, these tests are skipped.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RecordForm } from '../../../src/features/uploads/forms/read-records.ts';
import { EXPORTS, needs } from '../../support/needs.ts';
import { type DialectParameters, type ExportedEntry, entry, xmlOf } from './exports.ts';

/** The five rows of the shop, with the dates of one column. */
const five = (dates: readonly (string | undefined)[]) =>
  ['1', '2?a=1&b=2', 'grüße', '4,5', '5'].map((path, i) => entry(path, dates[i]));
const three = (dates: readonly (string | undefined)[]) => five(dates).slice(0, 3);
const ZONED = [
  '2026-01-15T10:00:00.123+00:00',
  '2026-01-15T10:00:00+00:00',
  '2025-12-31T23:59:59.999999+00:00',
  '2026-06-30T22:00:00+00:00',
  undefined,
];
const PANDAS = ['2026-01-15T10:00:00.123000+00:00', '2026-01-15T10:00:00+00:00', undefined];

const NAMED = { columns: 'loc:url,lastmod:updated_at' };
const UPDATED = { columns: 'loc:url,lastmod:updated', timezone: 'UTC' };

const TAKEN: readonly [
  file: string,
  form: RecordForm | 'json',
  query: DialectParameters,
  entries: readonly ExportedEntry[],
][] = [
  ['postgres/psql-csv.csv', 'csv', NAMED, five(ZONED)],
  ['postgres/copy-csv-header.csv', 'csv', NAMED, five(ZONED)],
  ['postgres/copy-csv.csv', 'csv', { header: 'false', columns: '-,loc,-,lastmod,-,-,-,-,-' }, five(ZONED)],
  [
    'postgres/psql-At.txt',
    'csv',
    { header: 'false', delimiter: 'pipe', columns: 'loc,lastmod' },
    five(ZONED),
  ],
  ['postgres/row_to_json-timestamptz.ndjson', 'ndjson', {}, five(ZONED)],
  ['postgres/urls.txt', 'text', {}, five([])],
  [
    'postgres/psql-csv-datestyle-german.csv',
    'csv',
    { ...NAMED, dates: 'dmy' },
    five(ZONED.map((date) => date?.replace('+00:00', 'Z'))),
  ],
  [
    'postgres/psql-csv-datestyle-sql.csv',
    'csv',
    { ...NAMED, dates: 'mdy' },
    five(ZONED.map((date) => date?.replace('+00:00', 'Z'))),
  ],
  ['duckdb/copy.csv', 'csv', NAMED, three([ZONED[0], ZONED[1]])],
  ['duckdb/copy.json', 'ndjson', NAMED, three([ZONED[0], ZONED[1]])],
  ['pandas/to_csv.csv', 'csv', NAMED, three(PANDAS)],
  ['pandas/to_csv-noindex.csv', 'csv', NAMED, three(PANDAS)],
  ['pandas/to_csv-na.csv', 'csv', NAMED, three(PANDAS)],
  ['pandas/to_csv-utf8sig.csv', 'csv', NAMED, three(PANDAS)],
  ['pandas/to_csv-midnights.csv', 'csv', NAMED, [entry('9', '2026-01-15')]],
  ['pandas/csv-writer.csv', 'csv', { columns: 'loc,lastmod' }, three(PANDAS)],
  [
    'pandas/to_json-lines.ndjson',
    'ndjson',
    { ...NAMED, dates: 'unix-millis' },
    three(['2026-01-15T10:00:00.123Z', '2026-01-15T10:00:00Z']),
  ],
  [
    'pandas/to_json-records.json',
    'json',
    { ...NAMED, dates: 'unix-millis' },
    three(['2026-01-15T10:00:00.123Z', '2026-01-15T10:00:00Z']),
  ],
  [
    'sqlite/json.json',
    'json',
    { ...NAMED, timezone: 'UTC' },
    [
      entry('1', '2026-01-15T10:00:00Z'),
      entry('2?a=1&b=2', '2026-01-15T10:00:00Z'),
      entry('grüße', '2025-12-31T23:59:59.999Z'),
      entry('5'),
    ],
  ],
  [
    'sqlite/csv-header.csv',
    'csv',
    { ...NAMED, timezone: 'UTC' },
    [
      entry('1', '2026-01-15T10:00:00Z'),
      entry('2?a=1&b=2', '2026-01-15T10:00:00Z'),
      entry('grüße', '2025-12-31T23:59:59.999Z'),
      entry('5'),
    ],
  ],
  [
    'sqlite/csv.csv',
    'csv',
    { header: 'false', columns: '-,loc,-,-,lastmod,-', dates: 'unix-seconds' },
    [
      entry('1', '2026-01-15T10:00:00Z'),
      entry('2?a=1&b=2', '2026-01-15T10:00:00Z'),
      entry('grüße', '2025-12-31T23:59:59Z'),
      entry('5'),
    ],
  ],
  [
    'spreadsheet/gnumeric.csv',
    'csv',
    { ...NAMED, timezone: 'UTC' },
    three(['2026-01-15T10:00:00.123Z', '2026-01-15T10:00:00Z']),
  ],
  [
    'spreadsheet/gnumeric-raw-semicolon.csv',
    'csv',
    { ...NAMED, dates: 'excel', timezone: 'UTC' },
    three(['2026-01-15T10:00:00Z', '2026-01-15T10:00:00Z']),
  ],
  [
    'spreadsheet/csvkit-in2csv.csv',
    'csv',
    { ...NAMED, timezone: 'UTC' },
    three(['2026-01-15T10:00:00.123000Z', '2026-01-15T10:00:00Z']),
  ],
  [
    'spreadsheet/miller.json',
    'json',
    { ...NAMED, timezone: 'UTC' },
    three(['2026-01-15T10:00:00.123000Z', '2026-01-15T10:00:00Z']),
  ],
  [
    'modelled/athena-unload-textfile',
    'csv',
    { header: 'false', delimiter: 'ctrl-a', columns: 'loc,lastmod', timezone: 'UTC' },
    [entry('1', '2026-01-15T10:00:00.123Z'), entry('5')],
  ],
  [
    'modelled/bigquery-extract.csv',
    'csv',
    NAMED,
    [entry('1', '2026-01-15T10:00:00.123Z'), entry('2', '2026-01-15T10:00:00Z'), entry('4,5')],
  ],
  [
    'modelled/bigquery-extract.ndjson',
    'ndjson',
    {},
    [entry('1', '2026-01-15T10:00:00.123Z'), entry('2', '2026-01-15T10:00:00Z')],
  ],
  [
    'modelled/duplicate-header-names.csv',
    'csv',
    { header: 'false', skipLines: '1', columns: 'loc,-,lastmod' },
    [entry('1', '2026-01-15')],
  ],
  [
    'modelled/excel-de-csv-utf8.csv',
    'csv',
    { columns: 'loc:URL,lastmod:Geändert', dates: 'dmy', timezone: 'Europe/Berlin' },
    [entry('1', '2026-01-15T10:00:00+01:00'), entry('2', '2026-04-03')],
  ],
  ['modelled/excel-sep-line.csv', 'csv', {}, [entry('1', '2026-01-15')]],
  [
    'modelled/excel-serial.csv',
    'csv',
    { dates: 'excel', timezone: 'UTC' },
    [entry('1', '2026-01-15'), entry('2', '2026-01-15T10:00:00Z')],
  ],
  [
    'modelled/excel-us.csv',
    'csv',
    { columns: 'loc:URL,lastmod:Last modified', dates: 'mdy', timezone: 'America/New_York' },
    [entry('1', '2026-01-15T10:00:00-05:00'), entry('2', '2026-03-04T09:05:00-05:00')],
  ],
  [
    'modelled/pipe-in-urls.csv',
    'csv',
    {},
    [entry('https://shop.example.com/a|b'), entry('https://shop.example.com/c|d')],
  ],
  [
    'modelled/relative.csv',
    'csv',
    { columns: 'loc:path,lastmod', baseUrl: 'https://shop.example.com/de/start' },
    [entry('1', '2026-01-15'), entry('https://shop.example.com/de/p/2', '2026-01-16')],
  ],
  [
    'modelled/screaming-frog-internal_all.csv',
    'csv',
    {
      columns: 'loc:Address,lastmod:Last Modified',
      where: ['Indexability:Indexable', 'Content Type:text/html*'],
    },
    [entry('https://shop.example.com/', '2026-01-15T10:00:00Z')],
  ],
  [
    'modelled/snowflake-unload-data_0_0_0.csv',
    'csv',
    { header: 'false', columns: 'loc,lastmod,-', escape: 'backslash' },
    [entry('1', '2026-01-15T10:00:00.123-08:00'), entry('2', '2026-01-15T10:00:00.000-08:00'), entry('4,5')],
  ],
  [
    'modelled/spark-part-00000.csv',
    'csv',
    { header: 'false', columns: 'loc,-,lastmod', escape: 'backslash' },
    [
      entry('1', '2026-01-15T10:00:00.123Z'),
      entry('2', '2026-01-15T10:00:00.000Z'),
      entry('5', '2026-01-15T11:00:00.000+01:00'),
    ],
  ],
  [
    'modelled/one-column-commas.txt',
    'text',
    {},
    [entry('https://shop.example.com/a,1'), entry('https://shop.example.com/b,2')],
  ],
];

const REFUSED: readonly [
  file: string,
  form: RecordForm | 'json',
  query: DialectParameters,
  message: string,
][] = [
  ['postgres/psql-At.txt', 'text', {}, 'looks like a row of a table'],
  ['postgres/psql-aligned.txt', 'csv', { delimiter: 'pipe', ...NAMED }, 'a table for people'],
  ['postgres/psql-A.txt', 'csv', NAMED, 'psql counts its rows unless it has -t'],
  ['postgres/psql-csv.csv', 'csv', {}, 'add columns=loc:url,lastmod:updated_at'],
  ['postgres/psql-csv.csv', 'csv', { columns: 'loc:url,lastmod:updated' }, 'add timezone='],
  ['postgres/psql-csv-datestyle-postgres.csv', 'csv', NAMED, 'must be a date like'],
  ['postgres/psql-csv-infinity-epoch.csv', 'csv', NAMED, 'is infinite'],
  ['mariadb/table.txt', 'csv', {}, 'a table for people'],
  ['mariadb/batch.tsv', 'csv', UPDATED, 'is a zero date'],
  ['mariadb/json_object.ndjson', 'ndjson', { timezone: 'UTC' }, 'is a zero date'],
  ['mariadb/batch-raw.tsv', 'csv', UPDATED, 'must have 3 cells, like the header; it has 2'],
  [
    'mariadb/outfile.tsv',
    'csv',
    {
      header: 'false',
      delimiter: 'tab',
      escape: 'backslash',
      columns: '-,loc,-,lastmod,-,-,-,-,-',
      timezone: 'UTC',
    },
    'is a zero date',
  ],
  ['modelled/duplicate-header-names.csv', 'csv', { columns: 'loc:url' }, 'stands 2 times in the header'],
  ['modelled/excel-mac-cr.csv', 'csv', {}, 'save it as CSV UTF-8'],
  ['modelled/excel-us.csv', 'csv', { columns: 'loc:URL,lastmod:Last modified' }, 'add dates=dmy'],
  ['modelled/excel-serial.csv', 'csv', {}, 'is a number: add dates=excel'],
  ['modelled/relative.csv', 'csv', { columns: 'loc:path' }, 'must be an absolute URL'],
  [
    'modelled/relative.csv',
    'csv',
    { header: 'false', columns: 'loc,-', baseUrl: 'https://a.example/' },
    'the first record has names',
  ],
  ['modelled/shopify-products.csv', 'csv', {}, 'Handle: is not known here'],
  ['modelled/tab-in-url-list.txt', 'text', {}, 'looks like a row of a table'],
  ['pandas/to_json-default.json', 'json', {}, 'id: is not known here'],
];

describe('exports of tools', needs('the exports of tools'), () => {
  test.each(TAKEN)('%s as %s with %o', async (file, form, query, entries) => {
    const byHand = await xmlOf('json', Buffer.from(JSON.stringify({ urls: entries })), {});
    const body = readFileSync(new URL(file, EXPORTS));
    for (const chunkBytes of [1, 13, 65_536]) expect(await xmlOf(form, body, query, chunkBytes)).toBe(byHand);
  });

  test.each(REFUSED)('%s as %s with %o is refused', async (file, form, query, message) => {
    await expect(xmlOf(form, readFileSync(new URL(file, EXPORTS)), query)).rejects.toThrow(message);
  });

  test('a mixed file of mariadb is taken with the zero dates left out', async () => {
    const body = readFileSync(new URL('mariadb/batch.tsv', EXPORTS))
      .toString()
      .replaceAll('0000-00-00 00:00:00.000', 'NULL');
    expect(await xmlOf('csv', Buffer.from(body), UPDATED)).toContain(
      '<lastmod>2026-01-15T10:00:00.123Z</lastmod>',
    );
  });
});
