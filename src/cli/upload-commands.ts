/** The commands for uploads of all accounts. */
import type { Command } from 'commander';
import { shownSitemapName } from '../core/sitemap/file-names.ts';
import { listUploads } from '../features/uploads/list-uploads.ts';
import { withDatabase } from './connect.ts';
import { getAccount } from './get-account.ts';
import { getDomains } from './get-domain.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownCount, shownTime } from './print-table.ts';
import { UsageError } from './usage-error.ts';

const MAX_LIMIT = 10_000;

interface ListOptions extends JsonOption {
  readonly domain?: string;
  readonly account?: string;
  readonly limit: string;
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
    .option('--limit <count>', `how many at most, up to ${MAX_LIMIT}`, '50')
    .option(...JSON_OPTION)
    .action(async ({ domain, account: accountId, limit, json }: ListOptions) => {
      const count = parseLimit(limit);
      const found = await withDatabase(async (database) => {
        if (accountId !== undefined) await getAccount(database, accountId);
        const hostname = domain === undefined ? undefined : (await getDomains(database, domain))[0].hostname;
        return listUploads(database, { accountId, hostname }, count);
      });
      const uploads = found.map(({ position: _position, sitemapName, replacedAt, ...rest }) => ({
        ...rest,
        sitemapName: shownSitemapName(sitemapName),
        state: replacedAt === null ? 'live' : 'replaced',
        replacedAt,
      }));
      if (json) return printJson(uploads);
      printTable(
        [
          'id',
          'domain',
          'sitemap',
          'generation',
          'kind',
          'URLs',
          'files',
          'bytes',
          'stored bytes',
          'published',
          'state',
        ],
        uploads.map((one) => [
          one.id,
          one.hostname,
          one.sitemapName,
          ...[String(one.generation), one.kind],
          ...[one.urlCount, one.fileCount, one.bytes, one.gzipBytes].map(shownCount),
          shownTime(one.publishedAt),
          one.replacedAt === null ? one.state : `${one.state} ${shownTime(one.replacedAt)}`,
        ]),
      );
    });
}

function parseLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`--limit ${text} is not a whole number from 1 to ${MAX_LIMIT}.`);
}
