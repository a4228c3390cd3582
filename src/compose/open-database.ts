/** The connection pool of a process, with its metrics. */
import { observeDatabase } from '../operations/observe-database.ts';
import { createDatabasePool, type Database } from '../platform/postgres/database.ts';
import type { Secret } from '../platform/secret.ts';
import type { SiteOrigins } from '../sites/site.ts';
import type { ProcessOptions } from './open-process.ts';

/** A process that has a database. */
export interface DatabaseProcessOptions extends ProcessOptions, SiteOrigins {
  readonly database: Database;
}

/** The pool connects at its first query. The scope closes it. */
export function openDatabase(
  url: Secret,
  { config, log, metrics, scope }: Omit<ProcessOptions, 'storage'>,
): Database {
  const database = createDatabasePool(url, config.DATABASE_CONNECTIONS, log, config.DATABASE_TIMEOUT_MS);
  observeDatabase(database, metrics);
  scope.defer(() => database.end());
  return database;
}
