/** The schema of a version before this one. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runner } from 'node-pg-migrate';
import type { Database } from '../../src/platform/postgres/database.ts';
import { MIGRATIONS } from '../../src/schema/check-schema.ts';

/** Applies the migrations that are missing, up to `last`, as in 0011_page_hosts. */
export async function migrateTo(database: Database, last: string): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'waypost-migrations-'));
  const client = await database.connect();
  try {
    for (const file of await readdir(MIGRATIONS)) {
      if (file <= `${last}.sql`) await cp(join(MIGRATIONS, file), join(dir, file));
    }
    await runner({ dbClient: client, dir, migrationsTable: 'migrations', direction: 'up', log: () => {} });
  } finally {
    client.release();
    await rm(dir, { recursive: true, force: true });
  }
}
