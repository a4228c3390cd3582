/** The command for the hosts of the pages in the sitemaps of a domain. */
import type { Command } from 'commander';
import type { PageHost } from '../features/page-hosts/page-host.ts';
import { listPageHosts } from '../features/page-hosts/page-host-store.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { ACCOUNT_OPTION, type AccountOption, getDomain } from './get-domain.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownCount, shownTime } from './print-table.ts';

export function addPageHostCommand(program: Command): void {
  const pageHost = program.command('page-host').description('show the hosts of the pages of a domain');
  pageHost
    .command('list')
    .description('list the hosts of the pages of a domain, those with the most URLs at the top')
    .argument('<hostname>')
    .option(...ACCOUNT_OPTION)
    .option(...JSON_OPTION)
    .action(async (hostname: string, { json, ...account }: JsonOption & AccountOption) => {
      const pageHosts = await withDatabase(async (database) =>
        listPageHosts(database, (await getDomain(database, hostname, account)).id),
      );
      if (json) printJson(pageHosts);
      else printPageHosts(pageHosts);
    });
}

export function printPageHosts(pageHosts: readonly PageHost[]): void {
  printTable(
    ['page host', 'URLs', 'robots.txt', 'checked'],
    pageHosts.map(({ origin, urlCount, state, checkedAt }) => [
      origin,
      shownCount(urlCount),
      state,
      shownTime(checkedAt),
    ]),
  );
  for (const { state, message } of pageHosts) {
    if (state !== 'found' && message !== null) print(message);
  }
}
