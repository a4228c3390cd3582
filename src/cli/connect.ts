/** Opens the database and the store of the separate processes, or of the all in one on DATA_DIR, for a command. */
import { join } from 'node:path';
import { openFolder, openStorage } from '../compose/open-storage.ts';
import { type Config, readConfig } from '../config/config.ts';
import { readDemo } from '../demo/demo-account.ts';
import { createLog, type Log } from '../platform/log.ts';
import { createDatabasePool, type Database } from '../platform/postgres/database.ts';
import { embeddedPostgresUrl } from '../platform/postgres/embedded-postgres.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import { environment } from '../platform/process/environment.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { checkSchema } from '../schema/check-schema.ts';
import type { SiteOrigins } from '../sites/site.ts';

/** A command needs one or two at a time. The doctor could use more, and waits for a free one. */
const CONNECTIONS = 4;

export interface SiteStore extends SiteOrigins {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly keepReplacedMs: number;
}

export async function withDatabase<Result>(
  work: (database: Database, log: Log, config: Config) => Promise<Result>,
): Promise<Result> {
  await using scope = new AsyncDisposableStack();
  const config = readConfig(environment());
  const log = createLog('cli', config.LOG_LEVEL);
  return await work(await openDatabase(config, log, scope), log, config);
}

/** `queryTimeoutMs`: 0 means no timeout. Default: as in the other processes. */
export async function withSites<Result>(
  work: (sites: SiteStore, log: Log) => Promise<Result>,
  { queryTimeoutMs }: { queryTimeoutMs?: number } = {},
): Promise<Result> {
  await using scope = new AsyncDisposableStack();
  const config = readConfig(environment());
  const log = createLog('cli', config.LOG_LEVEL);
  const database = await openDatabase(config, log, scope, queryTimeoutMs);
  const isAllInOne = config.DATABASE_URL === undefined;
  const storage = isAllInOne
    ? await openFolder(join(config.DATA_DIR, 'objects'), 'DATA_DIR')
    : await openStorage(config, scope);
  const origins = isAllInOne ? await originsOfAllInOne(config) : { publicOrigin: config.PUBLIC_ORIGIN };
  const sites = { database, storage, ...origins, keepReplacedMs: config.KEEP_REPLACED_MS };
  return await work(sites, log);
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
  await checkSchema(database);
  return database;
}

/** Chooses the origins as all in one does. Its ports may be any free ones. */
async function originsOfAllInOne({ PUBLIC_ORIGIN, DATA_DIR, HOSTING_PORT }: Config): Promise<SiteOrigins> {
  if (environment().PUBLIC_ORIGIN) return { publicOrigin: PUBLIC_ORIGIN };
  const demo = await readDemo(join(DATA_DIR, 'demo.json'));
  if (demo === undefined) return { publicOrigin: `http://{hostname}:${HOSTING_PORT}` };
  const portOf = (url: string) => new URL(url).port;
  return {
    publicOrigin: `http://{hostname}:${portOf(demo.hostingUrl)}`,
    // A folder of an older version has none yet.
    secureOrigin: demo.httpsUrl === '' ? undefined : `https://{hostname}:${portOf(demo.httpsUrl)}`,
  };
}
