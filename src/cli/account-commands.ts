/** Accounts and their keys, until there is a dashboard. */
import type { Command } from 'commander';
import { listAccounts, setPlan } from '../accounts/account-store.ts';
import { createAccount, createKey } from '../accounts/create-account.ts';
import { listKeys, revokeKey } from '../accounts/key-store.ts';
import { isPlanName, PLAN_NAMES, type PlanName } from '../accounts/plans.ts';
import { newId } from '../platform/ids.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { printTable } from './print-table.ts';
import { UsageError } from './usage-error.ts';

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('create and change accounts');
  account
    .command('create')
    .description('create an account and print its id')
    .argument('<name>', 'for people')
    .option('--plan <plan>', PLAN_NAMES.join(', '), 'free')
    .action(async (name: string, { plan }: { plan: string }) => {
      const planName = parsePlan(plan);
      print(await withDatabase((database) => createAccount(database, newId, name, planName)));
    });
  account
    .command('list')
    .description('list all accounts')
    .action(async () => {
      const accounts = await withDatabase(listAccounts);
      printTable(
        ['id', 'name', 'plan', 'created'],
        accounts.map(({ id, name, plan, createdAt }) => [id, name, plan, time(createdAt)]),
      );
    });
  account
    .command('set-plan')
    .description('change the plan of an account; it holds for the next request')
    .argument('<account-id>')
    .argument('<plan>', PLAN_NAMES.join(', '))
    .action(async (id: string, plan: string) => {
      const planName = parsePlan(plan);
      const found = await withDatabase((database) => setPlan(database, id, planName));
      if (!found) throw noAccount(id);
      print(`${id} is now on the ${planName} plan.`);
    });
}

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('create and revoke API keys');
  key
    .command('create')
    .description('create a key and print it; it is never shown again')
    .argument('<account-id>')
    .argument('[name]', 'for people', 'default')
    .action(async (accountId: string, name: string) => {
      const key = await withDatabase(async (database, log) => {
        const created = await createKey(database, newId, accountId, name);
        if (created === undefined) throw noAccount(accountId);
        log.info({ accountId, keyId: created.id }, 'key created');
        return created.key;
      });
      print(key);
    });
  key
    .command('list')
    .description('list the keys of an account')
    .argument('<account-id>')
    .action(async (accountId: string) => {
      const keys = await withDatabase((database) => listKeys(database, accountId));
      printTable(
        ['id', 'name', 'prefix', 'created', 'last used', 'revoked'],
        keys.map(({ id, name, prefix, createdAt, lastUsedAt, revokedAt }) => {
          return [id, name, prefix, time(createdAt), time(lastUsedAt), time(revokedAt)];
        }),
      );
    });
  key
    .command('revoke')
    .description('make a key stop working at once')
    .argument('<key-id>')
    .action(async (id: string) => {
      await withDatabase(async (database, log) => {
        const accountId = await revokeKey(database, id);
        if (accountId === undefined)
          throw new UsageError(`There is no key ${id}. See: key list <account-id>`);
        log.info({ accountId, keyId: id }, 'key revoked');
      });
      print(`${id} is revoked.`);
    });
}

function parsePlan(text: string): PlanName {
  if (isPlanName(text)) return text;
  throw new UsageError(`There is no plan ${text}. Plans: ${PLAN_NAMES.join(', ')}.`);
}

function noAccount(id: string): UsageError {
  return new UsageError(`There is no account ${id}. See: account list`);
}

function time(date: Date | null): string {
  return date === null ? '' : isoSeconds(date);
}
