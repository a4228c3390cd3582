/** The command for the usage of an account by day. */
import { type Command, Option } from 'commander';
import { readUsage, USAGE_COLUMNS, type UsageOfDay } from '../features/usage/read-usage.ts';
import { csvRow } from '../platform/csv.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { getAccount } from './get-account.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownCount } from './print-table.ts';

interface UsageOptions extends JsonOption {
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

export function addUsageCommand(program: Command): void {
  program
    .command('usage')
    .description('show what an account used, by day in UTC; 400 days are kept')
    .argument('<account-id>')
    .option('--from <day>', 'the first day, as in 2026-01-15; default: 29 days before the last one')
    .option('--to <day>', 'the last day; default: today')
    .option(...JSON_OPTION)
    .addOption(new Option('--csv', 'print CSV, as the API answers it').conflicts('json'))
    .action(async (id: string, { json, csv, ...span }: UsageOptions) => {
      const usage = await withDatabase(async (database) => {
        await getAccount(database, id);
        return readUsage(database, id, span, new Date());
      });
      if (json) return printJson(usage);
      const { days, totals } = usage;
      if (csv) return printCsv(days);
      const all = { ...totals, day: 'all', hostedUrls: null, hostedBytes: null };
      printTable(
        [
          'day',
          'requests',
          'URLs accepted',
          'bytes received',
          'URLs hosted',
          'stored bytes',
          'fetches',
          'bytes served',
        ],
        [...days, all].map(cellsOf),
      );
      print('Fetches are counted some two minutes later.');
    });
}

/** Prints no line after the last row, so that the output is equal to the file of the API. */
function printCsv(days: readonly UsageOfDay[]): void {
  const rows = days.map((one) => csvRow(USAGE_COLUMNS.map((column) => one[column])));
  process.stdout.write(`${USAGE_COLUMNS.join(',')}\r\n${rows.join('')}`);
}

function cellsOf(one: UsageOfDay): string[] {
  const { requests, acceptedUrls, receivedBytes, hostedUrls, hostedBytes, servedRequests, servedBytes } = one;
  const counts = [
    requests,
    acceptedUrls,
    receivedBytes,
    hostedUrls,
    hostedBytes,
    servedRequests,
    servedBytes,
  ];
  return [one.day, ...counts.map((count) => (count === null ? '' : shownCount(count)))];
}
