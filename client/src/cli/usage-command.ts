/** `waypost usage`: shows the usage of the account by day. */
import type { Command } from 'commander';
import type { UsageDay } from '../answers.ts';
import { shownBytes } from './output.ts';
import { openSession } from './session.ts';

interface UsageCommandOptions {
  readonly from?: string;
  readonly to?: string;
}

const HEAD = ['DAY', 'REQUESTS', 'URLS ACCEPTED', 'RECEIVED', 'URLS HOSTED', 'STORED', 'FETCHES', 'SERVED'];

export function addUsageCommand(program: Command): void {
  program
    .command('usage')
    .description('show what your account used, by day in UTC')
    .option('--from <day>', 'the first day, as in 2026-01-15 (default: 29 days before the last one)')
    .option('--to <day>', 'the last day (default: today)')
    .addHelpText('after', '\nExample:\n  $ waypost usage --from 2026-01-01 --to 2026-01-31 --json')
    .action(async (span: UsageCommandOptions, command: Command) => {
      const { waypost, out } = await openSession(command);
      const { days, totals } = await waypost.usage(span);
      out.printJson({ days, totals });
      const all = { ...totals, day: 'All', hostedUrls: null, hostedBytes: null };
      out.printTable(HEAD, [...days, all].map(cellsOf));
    });
}

const cellsOf = (one: UsageDay) => [
  ...[one.day, one.requests, one.acceptedUrls, shownBytes(one.receivedBytes)],
  ...[one.hostedUrls, one.hostedBytes === null ? null : shownBytes(one.hostedBytes)],
  ...[one.servedRequests, shownBytes(one.servedBytes)],
];
