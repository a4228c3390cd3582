/** The commands of docs/recipes.md, as printed, on files that the programs wrote, and on the programs where they are installed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EXPORTS, needs } from '../../support/needs.ts';
import { createTestReader, TEXT, timestamp, writeParquet } from '../parquet/parquet-files.ts';
import { type DialectParameters, type ExportedEntry, entry, xmlOf } from './exports.ts';

const PAGE = readFileSync(new URL('../../../docs/recipes.md', import.meta.url), 'utf8');

/** The commands by their headings. */
const COMMANDS = new Map(
  PAGE.split(/^### /m)
    .slice(1)
    .map(
      (section) => [section.split('\n')[0]!, /```sh\n(waypost upload .*)\n```/.exec(section)![1]!] as const,
    ),
);

/** The query parameters of a command line. */
function queryOf(command: string): DialectParameters {
  const words = [...command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll(/['"]/g, ''),
  );
  const query: Record<string, string | string[]> = {};
  for (let i = 2; i < words.length; i++) {
    const [, option, given] = /^--([a-z-]+)(?:=(.*))?$/.exec(words[i]!) ?? [];
    if (option === undefined) continue;
    const name = option.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (option === 'no-header') query.header = 'false';
    else {
      const value = given ?? words[++i]!;
      if (name === 'where') query.where = [...(query.where ?? []), value];
      else if (!['domain', 'form', 'from'].includes(name)) query[name] = value;
    }
  }
  return query;
}

const isoRows = (second: string) => [entry('1', '2026-01-15T10:00:00.123+00:00'), entry('2?a=1&b=2', second)];
const firstTwo = (body: string) => body.split('\n').slice(0, 3).join('\n');

/** The file of each recipe, and its first entries. */
const SAMPLES: Readonly<
  Record<string, readonly [file: string, first: readonly ExportedEntry[], edit?: (body: string) => string]>
> = {
  PostgreSQL: ['postgres/psql-csv.csv', isoRows('2026-01-15T10:00:00+00:00'), firstTwo],
  'PostgreSQL, unaligned': [
    'postgres/psql-At.txt',
    isoRows('2026-01-15T10:00:00+00:00'),
    (body) => body.split('\n').slice(0, 2).join('\n'),
  ],
  'PostgreSQL, COPY': [
    'postgres/copy-csv.csv',
    isoRows('2026-01-15T10:00:00+00:00'),
    (body) => body.split('\n').slice(0, 2).join('\n'),
  ],
  'MariaDB and MySQL': [
    'mariadb/batch.tsv',
    [entry('1', '2026-01-15T10:00:00.123Z'), entry('2?a=1&b=2', '2026-01-15T10:00:00.000Z')],
    firstTwo,
  ],
  SQLite: [
    'sqlite/csv-header.csv',
    [entry('1', '2026-01-15T10:00:00Z'), entry('2?a=1&b=2', '2026-01-15T10:00:00Z')],
    firstTwo,
  ],
  DuckDB: ['duckdb/copy.csv', isoRows('2026-01-15T10:00:00+00:00'), firstTwo],
  BigQuery: [
    'modelled/bigquery-extract.csv',
    [entry('1', '2026-01-15T10:00:00.123Z'), entry('2', '2026-01-15T10:00:00Z')],
    firstTwo,
  ],
  Snowflake: [
    'modelled/snowflake-unload-data_0_0_0.csv',
    [entry('1', '2026-01-15T10:00:00.123-08:00'), entry('2', '2026-01-15T10:00:00.000-08:00'), entry('4,5')],
  ],
  'Amazon Redshift': [
    'postgres/psql-At.txt',
    isoRows('2026-01-15T10:00:00+00:00'),
    (body) => body.split('\n').slice(0, 2).join('\n'),
  ],
  'Amazon Athena and Hive': [
    'modelled/athena-unload-textfile',
    [entry('1', '2026-01-15T10:00:00.123Z'), entry('5')],
  ],
  'Apache Spark': [
    'modelled/spark-part-00000.csv',
    [
      entry('1', '2026-01-15T10:00:00.123Z'),
      entry('2', '2026-01-15T10:00:00.000Z'),
      entry('5', '2026-01-15T11:00:00.000+01:00'),
    ],
  ],
  'Screaming Frog': [
    'modelled/screaming-frog-internal_all.csv',
    [entry('https://shop.example.com/', '2026-01-15T10:00:00Z')],
  ],
  'Excel, German': [
    'modelled/excel-de-csv-utf8.csv',
    [entry('1', '2026-01-15T10:00:00+01:00'), entry('2', '2026-04-03')],
  ],
  'Excel and Google Sheets, American': [
    'modelled/excel-us.csv',
    [entry('1', '2026-01-15T10:00:00-05:00'), entry('2', '2026-03-04T09:05:00-05:00')],
  ],
  'Numbers in place of dates': [
    'modelled/excel-serial.csv',
    [entry('1', '2026-01-15'), entry('2', '2026-01-15T10:00:00Z')],
  ],
  Gnumeric: [
    'spreadsheet/gnumeric.csv',
    [entry('1', '2026-01-15T10:00:00.123Z'), entry('2?a=1&b=2', '2026-01-15T10:00:00Z')],
    firstTwo,
  ],
  pandas: [
    'pandas/to_csv.csv',
    [entry('1', '2026-01-15T10:00:00.123000+00:00'), entry('2?a=1&b=2', '2026-01-15T10:00:00+00:00')],
    firstTwo,
  ],
  "Python's csv.writer": [
    'pandas/csv-writer.csv',
    [entry('1', '2026-01-15T10:00:00.123000+00:00'), entry('2?a=1&b=2', '2026-01-15T10:00:00+00:00')],
    firstTwo,
  ],
  'Paths without a host': [
    'modelled/relative.csv',
    [entry('1', '2026-01-15'), entry('https://shop.example.com/de/p/2', '2026-01-16')],
  ],
};

const byHand = (entries: readonly ExportedEntry[]) =>
  xmlOf('json', Buffer.from(JSON.stringify({ urls: entries })), {});

test('each recipe has a file', () => {
  expect([...COMMANDS.keys()].sort()).toEqual([...Object.keys(SAMPLES), 'Parquet'].sort());
});

describe('recipes', needs('the exports of tools'), () => {
  test.each(Object.entries(SAMPLES))('%s', async (title, [file, entries, edit = (body) => body]) => {
    const body = edit(readFileSync(new URL(file, EXPORTS), 'utf8'));
    expect(await xmlOf('csv', Buffer.from(body), queryOf(COMMANDS.get(title)!))).toBe(await byHand(entries));
  });
});

const parquet = createTestReader();

test('Parquet', async () => {
  const loc = 'https://example.com/a';
  const file = writeParquet([
    { name: 'id', data: [1], schema: { type: 'INT32' } },
    { name: 'url', data: [loc], schema: TEXT },
    { name: 'updated_at', data: [1768471200000000n], schema: timestamp('MICROS', false) },
  ]);
  expect(await parquet.entriesOf(file, queryOf(COMMANDS.get('Parquet')!))).toEqual([
    { loc, lastmod: '2026-01-15T10:00:00Z' },
  ]);
});

function outputOf(program: string, args: readonly string[], input = ''): Buffer {
  const { status, stdout, stderr } = spawnSync(program, args, { input });
  if (status !== 0) throw new Error(String(stderr));
  return stdout;
}

const SQL = `create table p (url text, title text, updated_at text);
insert into p values ('https://shop.example.com/p/4,5', 'say "a"', '2026-01-15 10:00:00'), ('https://shop.example.com/p/5', null, null);
select * from p;`;

const CSV_WRITER = `import csv, sys
rows = csv.writer(sys.stdout)
rows.writerow(['loc', 'lastmod', 'title'])
rows.writerow(['https://shop.example.com/p/4,5', '2026-01-15 10:00:00+00:00', 'say "a"\\nand "b"'])
rows.writerow(['https://shop.example.com/p/5', None, float('nan')])`;

const PANDAS = `import pandas, sys
frame = pandas.DataFrame({'url': ['https://shop.example.com/p/4,5', 'https://shop.example.com/p/5'],
  'updated_at': pandas.to_datetime(['2026-01-15 10:00:00', None]).tz_localize('UTC'), 'stock': [3, None]})
frame.to_csv(sys.stdout)`;

describe('recipes with the programs that are installed here', () => {
  async function expectRead(title: string, output: Buffer, entries: readonly ExportedEntry[]) {
    expect(await xmlOf('csv', output, queryOf(COMMANDS.get(title)!))).toBe(await byHand(entries));
  }

  test('SQLite', needs('sqlite3'), async () => {
    const output = outputOf('sqlite3', ['-csv', '-header'], SQL);
    await expectRead('SQLite', output, [entry('4,5', '2026-01-15T10:00:00Z'), entry('5')]);
  });

  test("Python's csv.writer", needs('python3'), async () => {
    const output = outputOf('python3', ['-c', CSV_WRITER]);
    await expectRead("Python's csv.writer", output, [entry('4,5', '2026-01-15T10:00:00+00:00'), entry('5')]);
  });

  test('pandas', needs('pandas'), async () => {
    const output = outputOf('/usr/bin/python3', ['-c', PANDAS]);
    await expectRead('pandas', output, [entry('4,5', '2026-01-15T10:00:00+00:00'), entry('5')]);
  });
});
