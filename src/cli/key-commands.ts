/** The commands for API keys of all accounts. */
import type { Command } from 'commander';
import { COMMAND_LINE, operatorOf } from '../features/accounts/actor.ts';
import { createKeyAs, revokeAnyKey } from '../features/accounts/change-keys.ts';
import { KEY_ACTIONS } from '../features/accounts/key-actions.ts';
import { expiryProblem, parseTime } from '../features/accounts/key-expiry.ts';
import { type ListedKey, listKeys } from '../features/accounts/key-store.ts';
import { parseScope } from '../features/accounts/parse-scope.ts';
import { sayScope } from '../features/accounts/say-scope.ts';
import { parseShortText } from '../features/accounts/short-text.ts';
import { findDomainIds } from '../features/domains/change-any-domain.ts';
import { newId } from '../platform/ids.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { getAccount } from './get-domain.ts';
import { JSON_OPTION } from './print-json.ts';
import { type ListOptions, limitOption, printList } from './print-list.ts';
import { shownTime } from './print-table.ts';
import { UsageError } from './usage-error.ts';

interface KeyOptions {
  readonly expires?: string;
  readonly action?: readonly string[];
  readonly domain?: readonly string[];
  readonly sitemap?: readonly string[];
  readonly fromRange?: readonly string[];
}

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('create, list and revoke API keys');
  key
    .command('create')
    .description('create a key and print it; it is never shown again')
    .argument('<account-id>')
    .argument('[name]', 'a name for people to read', 'default')
    .option('--expires <when>', `${EXPIRY_FORMS}; without it, the key does not expire`)
    .option('--action <action>', `may be repeated: ${KEY_ACTIONS.join(', ')}`, collect)
    .option('--domain <hostname>', 'only for this domain; may be repeated', collect)
    .option(
      '--sitemap <name>',
      'only for sitemaps of this name; may be repeated; default is the unnamed one',
      collect,
    )
    .option('--from-range <range>', 'only from here, as in 192.0.2.0/24; may be repeated', collect)
    .action(async (accountId: string, name: string, options: KeyOptions) => {
      const { expires } = options;
      const expiresAt = expires === undefined ? null : parseExpiry(expires, new Date());
      const key = await withDatabase(async (database, log) => {
        await getAccount(database, accountId);
        const { action: actions, sitemap: sitemaps, fromRange: fromRanges, domain } = options;
        const domainIds = domain && (await findDomainIds(database, accountId, domain));
        const scope = parseScope({ actions, domainIds, sitemaps, fromRanges });
        const wanted = { name: parseShortText('name', name), expiresAt, scope };
        const created = await createKeyAs({ database, newId }, operatorOf(accountId), wanted);
        const limits = { ...(expiresAt && { expiresAt }), ...(scope && { scope }) };
        log.info({ accountId, keyId: created.id, ...limits }, 'key created');
        return created.key;
      });
      print(key);
    });
  key
    .command('list')
    .description('list the keys of an account, each with its first eight and last four characters')
    .argument('<account-id>')
    .option(...limitOption())
    .option(...JSON_OPTION)
    .action((accountId: string, options: ListOptions) =>
      withDatabase(async (database) => {
        await getAccount(database, accountId);
        await printList<ListedKey>(options, {
          read: (limit, last) => listKeys(database, accountId, limit, last?.position),
          head: [
            ...['id', 'name', 'key', 'state', 'may', 'created by', 'created', 'last used', 'expires'],
            'revoked',
          ],
          cellsOf: (one) => [
            one.id,
            one.name,
            `${one.prefix}…${one.lastFour ?? ' (older)'}`,
            one.state,
            sayScope(one),
            one.creator === null ? 'operator' : one.creator.name,
            ...[one.createdAt, one.lastUsedAt, one.expiresAt, one.revokedAt].map(shownTime),
          ],
        });
      }),
    );
  key
    .command('revoke')
    .description('revoke a key at once')
    .argument('<key-id>')
    .action(async (id: string) => {
      await withDatabase(async (database, log) => {
        const { accountId } = await revokeAnyKey(database, COMMAND_LINE, id);
        log.info({ accountId, keyId: id }, 'key revoked');
      });
      print(`${id} is revoked.`);
    });
}

const collect = (value: string, former: readonly string[] = []) => [...former, value];

const UNITS_MS = { h: 3_600_000, d: 24 * 3_600_000, w: 7 * 24 * 3_600_000 };
const DURATION = /^(\d+)([hdw])$/;

/** The forms of an expiry, for help texts. */
const EXPIRY_FORMS =
  'a duration as in 90d, 12h or 4w, or a time as in 2030-01-31 (00:00 UTC) or 2030-01-31T18:00:00Z';

/** Throws UsageError for text in any other form, and for a time that is not in the future. */
export function parseExpiry(text: string, now: Date): Date {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  const time =
    unit === undefined ? parseTime(text) : new Date(now.getTime() + Number(amount) * UNITS_MS[unit as 'h']);
  if (time === undefined) throw new UsageError(`--expires ${text} is not a time. It takes ${EXPIRY_FORMS}.`);
  const problem = expiryProblem(time, now);
  if (problem !== undefined) throw new UsageError(`--expires ${text} ${problem}.`);
  return time;
}
