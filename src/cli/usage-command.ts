/** The command for the usage of accounts by day. */
import { type Command, Option } from 'commander';
import {
  ACCOUNT_USAGE_COLUMNS,
  type AskedSpan,
  daysOfAccounts,
  listAccountUsage,
  readUsage,
  USAGE_COLUMNS,
  type UsageOfAccount,
  type UsageOfDay,
} from '../features/usage/read-usage.ts';
import { type Cell, csvPieces } from '../platform/csv.ts';
import { pagesOf } from '../platform/pages-of.ts';
import type { Database } from '../platform/postgres/database.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { getAccount } from './get-domain.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printList } from './print-list.ts';
import { printTable, shownCount } from './print-table.ts';

/** The accounts of a page. Each has up to 400 days. */
const ACCOUNTS_AT_ONCE = 100;

const COUNT_HEAD = [
  ...['requests', 'URLs accepted', 'bytes received', 'URLs hosted', 'stored bytes', 'fetches'],
  'bytes served',
];

interface UsageOptions extends JsonOption, AskedSpan {
  readonly csv?: boolean;
}

export function addUsageCommand(program: Command): void {
  program
    .command('usage')
    .description('show what accounts used, by day in UTC; 400 days are kept')
    .argument('[account-id]', 'only this account; without it, a line for each account, the oldest first')
    .option('--from <day>', 'the first day, as in 2026-01-15; default: 29 days before the last one')
    .option('--to <day>', 'the last day; default: today')
    .option(...JSON_OPTION)
    .addOption(new Option('--csv', 'print the days as CSV, as the API answers it').conflicts('json'))
    .action(async (id: string | undefined, options: UsageOptions) => {
      await withDatabase((database) =>
        id === undefined ? printAll(database, options) : printOne(database, id, options),
      );
      if (!options.json && !options.csv) print('Fetches are counted some two minutes later.');
    });
}

async function printOne(database: Database, id: string, { json, csv, ...span }: UsageOptions): Promise<void> {
  await getAccount(database, id);
  const usage = await readUsage(database, id, span, new Date());
  if (json) return printJson(usage);
  const { days, totals } = usage;
  if (csv) return printCsv(USAGE_COLUMNS, [days]);
  const all = { ...totals, day: 'all', hostedUrls: null, hostedBytes: null };
  printTable(
    ['day', ...COUNT_HEAD],
    [...days, all].map((one) => [one.day, ...countsOf(one)]),
  );
}

/** Prints the usage of all accounts. The table for people has the sums of each account, and what the account hosts on the last day. */
async function printAll(database: Database, { json, csv, ...span }: UsageOptions): Promise<void> {
  const now = new Date();
  const read = (limit: number, last: UsageOfAccount | undefined) =>
    listAccountUsage(database, span, now, limit, last?.position);
  if (csv) return printCsv(ACCOUNT_USAGE_COLUMNS, daysOfAccounts(pagesOf(read, ACCOUNTS_AT_ONCE)));
  return printList(
    { json },
    {
      ...{ read, atOnce: ACCOUNTS_AT_ONCE },
      head: ['account', 'ref', ...COUNT_HEAD],
      cellsOf: ({ accountId, ref, days, totals }) => [
        ...[accountId, ref ?? ''],
        ...countsOf({ ...days.at(-1)!, ...totals }),
      ],
    },
  );
}

/** Prints CSV, and no line after the last row: the output has the same bytes as the CSV of the API. */
async function printCsv<Column extends string>(
  columns: readonly Column[],
  pages: AsyncIterable<readonly Record<Column, Cell>[]> | Iterable<readonly Record<Column, Cell>[]>,
): Promise<void> {
  const pieces = csvPieces(columns, pages, (row) => columns.map((column) => row[column]));
  for await (const piece of pieces) process.stdout.write(piece);
}

function countsOf(one: UsageOfDay): string[] {
  const { requests, acceptedUrls, receivedBytes, hostedUrls, hostedBytes, servedRequests, servedBytes } = one;
  return [
    ...[requests, acceptedUrls, receivedBytes, hostedUrls, hostedBytes],
    ...[servedRequests, servedBytes],
  ].map((count) => (count === null ? '' : shownCount(count)));
}
