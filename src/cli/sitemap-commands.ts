/** The commands for the sitemaps of a domain. */
import type { Command } from 'commander';
import { shownSitemapName } from '../core/sitemap/file-names.ts';
import { listSitemaps, type SitemapSummary } from '../features/uploads/list-sitemaps.ts';
import type { Database } from '../platform/postgres/database.ts';
import { withDatabase } from './connect.ts';
import { ACCOUNT_OPTION, type AccountOption, getDomain } from './get-domain.ts';
import { JSON_OPTION } from './print-json.ts';
import { type List, type ListOptions, limitOption, printList } from './print-list.ts';
import { shownCount, shownTime } from './print-table.ts';

export function addSitemapCommands(program: Command): void {
  const sitemap = program.command('sitemap').description('show the sitemaps of a domain');
  sitemap
    .command('list')
    .description('list the sitemaps of a domain, by name')
    .argument('<hostname>')
    .option(...ACCOUNT_OPTION)
    .option(...limitOption())
    .option(...JSON_OPTION)
    .action((hostname: string, { json, limit, ...account }: ListOptions & AccountOption) =>
      withDatabase(async (database) => {
        const { id } = await getDomain(database, hostname, account);
        await printList({ json, limit }, sitemapsOf(database, id));
      }),
    );
}

export function sitemapsOf(
  database: Database,
  domainId: string,
): List<SitemapSummary> & { show: typeof show } {
  return {
    read: (limit, last) => listSitemaps(database, domainId, limit, last?.name),
    head: ['sitemap', 'URLs', 'files', 'bytes', 'stored bytes', 'last upload'],
    cellsOf: (one) => [
      shownSitemapName(one.name),
      ...[one.urlCount, one.fileCount, one.bytes, one.gzipBytes].map(shownCount),
      shownTime(one.lastUpdated),
    ],
    show,
  };
}

function show(one: SitemapSummary): SitemapSummary {
  return { ...one, name: shownSitemapName(one.name) };
}
