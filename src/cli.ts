/** The command line for operators: accounts and keys, until there is a dashboard. */
import { join } from 'node:path';
import Table from 'cli-table3';
import { Command } from 'commander';
import { listAccounts, setPlan } from './accounts/account-store.ts';
import { createAccount, createKey } from './accounts/create-account.ts';
import { listKeys, revokeKey } from './accounts/key-store.ts';
import { isPlanName, PLAN_NAMES, type PlanName } from './accounts/plans.ts';
import { readConfig } from './platform/config.ts';
import { ConfigError } from './platform/config-error.ts';
import { connectDatabase, type Database } from './platform/database.ts';
import { embeddedPostgresUrl } from './platform/embedded-postgres.ts';
import { environment } from './platform/environment.ts';
import { newId } from './platform/ids.ts';
import { isoSeconds } from './platform/iso-seconds.ts';
import { createLog } from './platform/log.ts';
import { print } from './platform/print.ts';
import { reportFailure } from './platform/run-process.ts';

/** What the operator asked for cannot be done; the message says why. */
class UsageError extends ConfigError {}

const program = new Command('waypost')
  .description(
    'Administers Waypost. Uses the database at DATABASE_URL, or that of the all in one running on DATA_DIR.',
  )
  .showHelpAfterError();

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

const key = program.command('key').description('create and revoke API keys');
key
  .command('create')
  .description('create a key and print it; it is never shown again')
  .argument('<account-id>')
  .argument('[name]', 'for people', 'default')
  .action(async (accountId: string, name: string) => {
    const created = await withDatabase((database) => createKey(database, newId, accountId, name));
    if (created === undefined) throw noAccount(accountId);
    print(created.key);
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
    if (!(await withDatabase((database) => revokeKey(database, id)))) {
      throw new UsageError(`There is no key ${id}. See: key list <account-id>`);
    }
    print(`${id} is revoked.`);
  });

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}

async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const config = readConfig(environment());
  const url = config.DATABASE_URL ?? (await embeddedPostgresUrl(join(config.DATA_DIR, 'postgres')));
  if (url === undefined) {
    throw new ConfigError(
      `There is no database: DATABASE_URL is not set, and no all in one runs on ${config.DATA_DIR}. Set one, or run npm start first.`,
    );
  }
  const database = connectDatabase(url, 2, createLog('cli', config.LOG_LEVEL));
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}

function parsePlan(text: string): PlanName {
  if (isPlanName(text)) return text;
  throw new UsageError(`There is no plan ${text}. Plans: ${PLAN_NAMES.join(', ')}.`);
}

function noAccount(id: string): UsageError {
  return new UsageError(`There is no account ${id}. See: account list`);
}

function printTable(head: string[], rows: string[][]): void {
  const table = new Table({ head, style: { head: [], border: [] } });
  table.push(...rows);
  print(table.toString());
}

function time(date: Date | null): string {
  return date === null ? '' : isoSeconds(date);
}
