/** Opens the database and the store for a command. The two belong to the separate processes, or to an all-in-one program on DATA_DIR. */
import { join } from 'node:path';
import { readDemo } from '../compose/demo-account.ts';
import { makeOwnFolder, makeStorage, openFolder, openStorage } from '../compose/open-storage.ts';
import { type Config, readConfig } from '../core/config/config.ts';
import { checkSchema } from '../core/schema/check-schema.ts';
import { checkStorageMark } from '../core/schema/storage-mark.ts';
import { type OpenSitesOptions, openSites, type Sites } from '../features/sites/open-sites.ts';
import type { SiteOrigins } from '../features/sites/site.ts';
import { createLog, type Log } from '../platform/log.ts';
import { createDatabasePool, type Database } from '../platform/postgres/database.ts';
import { embeddedPostgresUrl } from '../platform/postgres/embedded-postgres.ts';
import { reachDatabase } from '../platform/postgres/reach-database.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import { environment } from '../platform/process/environment.ts';
import { Refusal } from '../platform/refusal.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { UsageError } from './usage-error.ts';

/** A command needs one or two connections at a time. The doctor could use more, but it waits until one is free. */
const CONNECTIONS = 4;
const SITES_AT_ONCE = 2;

/** Open sites, and the database and the store below them. */
export interface OpenedSites extends OpenSitesOptions {
  readonly sites: Sites;
}

export async function withDatabase<Result>(
  work: (database: Database, log: Log, config: Config) => Promise<Result>,
): Promise<Result> {
  await using scope = new AsyncDisposableStack();
  const config = readConfig(environment());
  const log = createLog('cli', config.LOG_LEVEL);
  const database = await openDatabase(config, log, scope);
  return await orUsageError(() => work(database, log, config));
}

/** Runs `work` with the sites. `queryTimeoutMs`: 0 is no timeout. Without `queryTimeoutMs`, the setting DATABASE_TIMEOUT_MS applies. */
export async function withSites<Result>(
  work: (opened: OpenedSites) => Promise<Result>,
  queryTimeoutMs?: number,
): Promise<Result> {
  await using scope = new AsyncDisposableStack();
  const config = readConfig(environment());
  const log = createLog('cli', config.LOG_LEVEL);
  const database = await openDatabase(config, log, scope, queryTimeoutMs);
  const isAllInOne = config.DATABASE_URL === undefined;
  const storage = await openStorageOf(config, scope);
  await checkStorageMark(database, storage, () => makeStorageOf(config));
  const origins = isAllInOne ? await originsOfAllInOne(config) : { publicOrigin: config.PUBLIC_ORIGIN };
  const keepReplacedMs = config.KEEP_REPLACED_MS;
  const options = { database, storage, log, ...origins, keepReplacedMs, places: SITES_AT_ONCE };
  return await orUsageError(() => work({ ...options, sites: openSites(options) }));
}

/** Runs `work` with the store, even if it is not yet that of the database, and makes its folder. */
export function withAnyStorage<Result>(
  work: (database: Database, storage: ObjectStorage) => Promise<Result>,
): Promise<Result> {
  return withDatabase(async (database, _log, config) => {
    await using scope = new AsyncDisposableStack();
    await makeStorageOf(config);
    return await work(database, await openStorageOf(config, scope));
  });
}

function openStorageOf(config: Config, scope: AsyncDisposableStack): Promise<ObjectStorage> {
  return config.DATABASE_URL === undefined
    ? openFolder(join(config.DATA_DIR, 'objects'), 'DATA_DIR')
    : openStorage(config, scope);
}

function makeStorageOf(config: Config): Promise<void> {
  return config.DATABASE_URL === undefined
    ? makeOwnFolder(join(config.DATA_DIR, 'objects'), 'DATA_DIR')
    : makeStorage(config);
}

/** Turns a refusal of a verb into an error of usage. */
async function orUsageError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof Refusal ? new UsageError(cause.message, { cause }) : cause;
  }
}

async function openDatabase(
  config: Config,
  log: Log,
  scope: AsyncDisposableStack,
  queryTimeoutMs = config.DATABASE_TIMEOUT_MS,
): Promise<Database> {
  const url = config.DATABASE_URL ?? (await embeddedPostgresUrl(join(config.DATA_DIR, 'postgres')));
  if (url === undefined) {
    throw new ConfigError(
      `There is no database: DATABASE_URL is not set, and no all in one runs on ${config.DATA_DIR}. Set DATABASE_URL, or run npm start first.`,
    );
  }
  const database = createDatabasePool(url, CONNECTIONS, log, queryTimeoutMs);
  scope.defer(() => database.end());
  await reachDatabase(
    database,
    config.DATABASE_URL
      ? undefined
      : `DATABASE_URL is not set, and no all in one runs on the DATA_DIR ${config.DATA_DIR}: run npm start first.`,
  );
  await checkSchema(database);
  return database;
}

/** Returns the same origins as the all-in-one program, whose ports may be any free ones. */
async function originsOfAllInOne({ PUBLIC_ORIGIN, DATA_DIR, HOSTING_PORT }: Config): Promise<SiteOrigins> {
  if (environment().PUBLIC_ORIGIN) return { publicOrigin: PUBLIC_ORIGIN };
  const demo = await readDemo(join(DATA_DIR, 'demo.json'));
  if (demo === undefined) return { publicOrigin: `http://{hostname}:${HOSTING_PORT}` };
  const portOf = (url: string) => new URL(url).port;
  return {
    publicOrigin: `http://{hostname}:${portOf(demo.hostingUrl)}`,
    // A data folder of an older version has no HTTPS address yet.
    secureOrigin: demo.httpsUrl === '' ? undefined : `https://{hostname}:${portOf(demo.httpsUrl)}`,
  };
}
