/** Opens the connection pool of a process, with its metrics. */
import type { SiteOrigins } from '../features/sites/site.ts';
import { observeDatabase } from '../operations/observe-database.ts';
import { createDatabasePool, type Database } from '../platform/postgres/database.ts';
import type { Secret } from '../platform/secret.ts';
import type { ProcessOptions } from './open-process.ts';

export interface DatabaseProcessOptions extends ProcessOptions, SiteOrigins {
  readonly database: Database;
}

/** Opens the pool, which connects at its first query. The scope closes it. */
export function openDatabase(
  url: Secret,
  { config, log, metrics, scope }: Omit<ProcessOptions, 'storage'>,
): Database {
  const database = createDatabasePool(url, config.DATABASE_CONNECTIONS, log, config.DATABASE_TIMEOUT_MS);
  observeDatabase(database, metrics);
  scope.defer(() => database.end());
  return database;
}
