/** The commands for the submission of changed URLs: show waiting URLs and the reasons, and submit them again at once. */
import type { Command } from 'commander';
import { makeAllHostsDue } from '../features/submission/switch-store.ts';
import { listWaitingHosts, type WaitingHost } from '../features/submission/waiting-store.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { ACCOUNT_OPTION, type AccountOption, getDomain } from './get-domain.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownCount, shownTime } from './print-table.ts';
import { UsageError } from './usage-error.ts';

const MAX_ROWS = 1_000;

type ListOptions = JsonOption & AccountOption & { readonly domain?: string };

export function addIndexNowCommands(program: Command): void {
  const indexNow = program.command('indexnow').description('show what waits to be submitted, and retry');
  indexNow
    .command('list')
    .description(`list page hosts, those with the oldest waiting URLs at the top, at most ${MAX_ROWS}`)
    .option('--domain <hostname>', 'only page hosts of this domain')
    .option(...ACCOUNT_OPTION)
    .option(...JSON_OPTION)
    .action(async ({ domain, json, ...account }: ListOptions) => {
      const hosts = await withDatabase(async (database) => {
        const of = domain === undefined ? undefined : await getDomain(database, domain, account);
        return listWaitingHosts(database, of?.id, MAX_ROWS);
      });
      if (json) printJson(hosts);
      else printHosts(hosts);
    });
  indexNow
    .command('retry')
    .description('check the key files of a domain now, and submit what waits; ends all pauses')
    .argument('<hostname>')
    .option(...ACCOUNT_OPTION)
    .addHelpText('after', '\nThe jobs processes do the work. The budget of the day still holds.')
    .action(async (given: string, account: AccountOption) => {
      const hostname = await withDatabase(async (database) => {
        const domain = await getDomain(database, given, account);
        if (!domain.isIndexNowEnabled) {
          throw new UsageError(
            `${domain.hostname} does not submit URLs: its owner has not enabled IndexNow.`,
          );
        }
        await makeAllHostsDue(database, domain.id);
        return domain.hostname;
      });
      print(`All page hosts of ${hostname} are due now.`);
    });
}

function printHosts(hosts: readonly WaitingHost[]): void {
  printTable(
    [
      'domain',
      'account',
      'page host',
      'verified',
      'URLs',
      'batches',
      'failures',
      'status',
      'submitted',
      'due',
    ],
    hosts.map((one) => [
      ...[one.hostname, one.accountId, one.host, one.isVerified ? 'yes' : 'no'],
      ...[one.urls, one.batches, one.failures].map(shownCount),
      one.lastStatus === null ? '' : String(one.lastStatus),
      ...[one.lastSubmittedAt, one.dueAt].map(shownTime),
    ]),
  );
}
