/** The commands for the submission of changed URLs: list the page hosts, and submit the waiting URLs of a domain at once. */
import type { Command } from 'commander';
import { makeAllHostsDue } from '../features/submission/switch-store.ts';
import { listWaitingHosts, type WaitingHost } from '../features/submission/waiting-store.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { ACCOUNT_OPTION, type AccountOption, getDomain } from './get-domain.ts';
import { JSON_OPTION } from './print-json.ts';
import { type ListOptions, limitOption, printList } from './print-list.ts';
import { shownCount, shownTime } from './print-table.ts';
import { UsageError } from './usage-error.ts';

type HostListOptions = ListOptions & AccountOption & { readonly domain?: string };

export function addIndexNowCommands(program: Command): void {
  const indexNow = program.command('indexnow').description('show what waits to be submitted, and retry');
  indexNow
    .command('list')
    .description('list page hosts, those with the oldest waiting URLs at the top')
    .option('--domain <hostname>', 'only page hosts of this domain')
    .option(...ACCOUNT_OPTION)
    .option(...limitOption(1_000))
    .option(...JSON_OPTION)
    .action(({ domain, json, limit, ...account }: HostListOptions) =>
      withDatabase(async (database) => {
        const of = domain === undefined ? undefined : await getDomain(database, domain, account);
        await printList<WaitingHost>(
          { json, limit },
          {
            ...{ read: (most) => listWaitingHosts(database, of?.id, most), atOnce: Number.POSITIVE_INFINITY },
            head: [
              ...['domain', 'account', 'page host', 'verified', 'URLs', 'batches', 'failures', 'status'],
              ...['submitted', 'due'],
            ],
            cellsOf: (one) => [
              ...[one.hostname, one.accountId, one.host, one.isVerified ? 'yes' : 'no'],
              ...[one.urls, one.batches, one.failures].map(shownCount),
              one.lastStatus === null ? '' : String(one.lastStatus),
              ...[one.lastSubmittedAt, one.dueAt].map(shownTime),
            ],
          },
        );
      }),
    );
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
