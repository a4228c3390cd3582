/** Brings the tables of the job queue to the version of graphile-worker in use. */
import { Logger, runMigrations } from 'graphile-worker';
import type { Database } from '../../platform/postgres/database.ts';

const silent = new Logger(() => () => {});

export async function migrateJobs(database: Database): Promise<void> {
  await runMigrations({ pgPool: database, logger: silent });
}
