/** The commands for API keys of all accounts. */
import type { Command } from 'commander';
import { operatorOf } from '../features/accounts/actor.ts';
import { createKeyAs, revokeKeyAs } from '../features/accounts/change-keys.ts';
import { findAccountOfKey, listKeys } from '../features/accounts/key-store.ts';
import { newId } from '../platform/ids.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { getAccount } from './get-account.ts';
import { EXPIRY_FORMS, parseExpiry } from './parse-expiry.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownTime } from './print-table.ts';
import { UsageError } from './usage-error.ts';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('create, list and revoke API keys');
  key
    .command('create')
    .description('create a key and print it; it is never shown again')
    .argument('<account-id>')
    .argument('[name]', 'a name for people to read', 'default')
    .option('--expires <when>', `${EXPIRY_FORMS}; without it, the key does not expire`)
    .action(async (accountId: string, name: string, { expires }: { expires?: string }) => {
      const expiresAt = expires === undefined ? null : parseExpiry(expires, new Date());
      const key = await withDatabase(async (database, log) => {
        await getAccount(database, accountId);
        const created = await createKeyAs({ database, newId }, operatorOf(accountId), { name, expiresAt });
        log.info({ accountId, keyId: created.id, ...(expiresAt && { expiresAt }) }, 'key created');
        return created.key;
      });
      print(key);
    });
  key
    .command('list')
    .description('list the keys of an account, each with its first eight and last four characters')
    .argument('<account-id>')
    .option(...JSON_OPTION)
    .action(async (accountId: string, { json }: JsonOption) => {
      const keys = await withDatabase((database) => listKeys(database, accountId));
      if (json) return printJson(keys);
      printTable(
        ['id', 'name', 'key', 'state', 'created', 'last used', 'expires', 'revoked'],
        keys.map((one) => [
          one.id,
          one.name,
          `${one.prefix}…${one.lastFour ?? ' (older)'}`,
          one.state,
          ...[one.createdAt, one.lastUsedAt, one.expiresAt, one.revokedAt].map(shownTime),
        ]),
      );
    });
  key
    .command('revoke')
    .description('revoke a key at once')
    .argument('<key-id>')
    .action(async (id: string) => {
      await withDatabase(async (database, log) => {
        const accountId = await findAccountOfKey(database, id);
        if (accountId === undefined)
          throw new UsageError(`There is no key ${id}. See: key list <account-id>`);
        await revokeKeyAs(database, operatorOf(accountId), id);
        log.info({ accountId, keyId: id }, 'key revoked');
      });
      print(`${id} is revoked.`);
    });
}
