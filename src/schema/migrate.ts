/** Brings a database to the schema of this version: our migrations, then those of the job queue. */
import { runner } from 'node-pg-migrate';
import { migrateJobs } from '../jobs/migrate-jobs.ts';
import type { Database } from '../platform/postgres/database.ts';
import { MIGRATIONS } from './check-schema.ts';

/** Safe to run from many processes at once: they wait for each other. Returns the names of the applied migrations. */
export async function migrate(database: Database): Promise<string[]> {
  const client = await database.connect();
  try {
    const applied = await runner({
      dbClient: client,
      dir: MIGRATIONS,
      migrationsTable: 'migrations',
      direction: 'up',
      advisoryLockMode: 'wait',
      log: () => {},
    });
    await migrateJobs(database);
    return applied.map((migration) => migration.name);
  } finally {
    client.release();
  }
}
