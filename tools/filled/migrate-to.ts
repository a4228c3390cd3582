/** Migrates a database to the schema of an earlier version. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../../src/core/schema/check-schema.ts';
import { migrate } from '../../src/core/schema/migrate.ts';
import type { Database } from '../../src/platform/postgres/database.ts';

/** Applies the missing migrations up to `last`, for example 0011_page_hosts. */
export async function migrateTo(database: Database, last: string): Promise<void> {
  const migrations = await mkdtemp(join(tmpdir(), 'waypost-migrations-'));
  try {
    for (const file of await readdir(MIGRATIONS)) {
      if (file <= `${last}.sql`) await cp(join(MIGRATIONS, file), join(migrations, file));
    }
    await migrate(database, { migrations });
  } finally {
    await rm(migrations, { recursive: true, force: true });
  }
}
