/** The commands for uploads of all accounts. */
import type { Command } from 'commander';
import { shownSitemapName } from '../core/sitemap/file-names.ts';
import { type ListedUpload, listUploads } from '../features/uploads/list-uploads.ts';
import { withDatabase } from './connect.ts';
import { getAccount, getDomains } from './get-domain.ts';
import { JSON_OPTION } from './print-json.ts';
import { type ListOptions, limitOption, printList } from './print-list.ts';
import { shownCount, shownTime } from './print-table.ts';

interface UploadListOptions extends ListOptions {
  readonly domain?: string;
  readonly account?: string;
}

export function addUploadCommands(program: Command): void {
  const upload = program.command('upload').description('show published uploads');
  upload
    .command('list')
    .description(
      'list published uploads and rollbacks, newest first; replaced ones stay listed until they are no longer kept',
    )
    .option('--domain <hostname>', 'only uploads of this domain')
    .option('--account <account-id>', 'only uploads of this account')
    .option(...limitOption(50))
    .option(...JSON_OPTION)
    .action(({ domain, account: accountId, ...options }: UploadListOptions) =>
      withDatabase(async (database) => {
        if (accountId !== undefined) await getAccount(database, accountId);
        const hostname = domain === undefined ? undefined : (await getDomains(database, domain))[0].hostname;
        await printList<ListedUpload>(options, {
          read: (limit, last) => listUploads(database, { accountId, hostname }, limit, last?.position),
          head: [
            ...['id', 'domain', 'sitemap', 'generation', 'kind', 'URLs', 'files', 'bytes', 'stored bytes'],
            ...['published', 'state'],
          ],
          cellsOf: (one) => [
            ...[one.id, one.hostname, shownSitemapName(one.sitemapName), String(one.generation), one.kind],
            ...[one.urlCount, one.fileCount, one.bytes, one.gzipBytes].map(shownCount),
            shownTime(one.publishedAt),
            one.replacedAt === null ? 'live' : `replaced ${shownTime(one.replacedAt)}`,
          ],
          show: ({ position: _position, sitemapName, replacedAt, ...rest }) => ({
            ...rest,
            sitemapName: shownSitemapName(sitemapName),
            state: replacedAt === null ? 'live' : 'replaced',
            replacedAt,
          }),
        });
      }),
    );
}
