/** The schema of a version before this one. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/platform/postgres/database.ts';
import { MIGRATIONS } from '../../src/schema/check-schema.ts';
import { migrate } from '../../src/schema/migrate.ts';

/** Applies the migrations that are missing, up to `last`, as in 0011_page_hosts. */
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
