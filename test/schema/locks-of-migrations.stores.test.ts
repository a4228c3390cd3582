/**
 * What migrations do to tables with rows, from the last schema before they ran beside the service (docs/decisions/0043): no table is
 * written anew, and none is read while a transaction holds its lock.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/core/schema/check-schema.ts';
import { isWithoutTransaction } from '../../src/core/schema/load-migrations.ts';
import { fillDatabase } from '../../tools/filled/fill-database.ts';
import { fillOlder } from '../../tools/filled/fill-older.ts';
import { migrateTo } from '../../tools/filled/migrate-to.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { createTestDatabase } from '../support/test-database.ts';

const FROM = '0016_small_uploads';
/** A table with fewer rows is a small one, such as plans. */
const MANY = 100;

const newest = await createTestDatabase();
const { database, url } = await createTestDatabase('template1');

interface Table {
  readonly name: string;
  readonly file: string;
  readonly rows: number;
  readonly rowsRead: number;
}

async function tablesOf(): Promise<ReadonlyMap<string, Table>> {
  // Postgres counts the reads of a connection when it ends.
  const others = () =>
    database.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
  while ((await others()).rowCount !== 0) await delay(20);
  const { rows } = await database.query<Table>(`
    SELECT c.relname AS name, pg_relation_filenode(c.oid)::text AS file, c.reltuples::float8 AS rows,
           pg_stat_get_tuples_returned(c.oid)::float8 AS "rowsRead"
      FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`);
  return new Map(rows.map((table) => [table.name, table]));
}

async function migrateApart(last: string): Promise<void> {
  const apart = createPatientPool(url, 4);
  await migrateTo(apart, last);
  await apart.end();
}

test('tables keep their files, and no transaction of a migration reads all of a table', async () => {
  await fillDatabase(newest.url.reveal(), { domains: 200, generations: 4 });
  await migrateApart(FROM);
  await fillOlder(newest.url.reveal(), url.reveal());
  const names = (await readdir(MIGRATIONS)).filter((file) => file > `${FROM}.sql`).sort();
  let before = await tablesOf();
  expect(before.get('uploads')?.rows).toBeGreaterThan(700);
  expect(before.get('domains')?.rows).toBe(200);
  const flaws: string[] = [];
  for (const file of names) {
    await migrateApart(file.replace('.sql', ''));
    const after = await tablesOf();
    const isTransaction = !isWithoutTransaction(await readFile(join(MIGRATIONS, file), 'utf8'));
    for (const { name, ...table } of before.values()) {
      const now = after.get(name);
      if (now === undefined || table.rows < MANY) continue;
      if (now.file !== table.file) flaws.push(`${file} writes ${name} anew`);
      if (isTransaction && now.rowsRead - table.rowsRead >= table.rows) flaws.push(`${file} reads ${name}`);
    }
    // The rows of tables that this migration has made.
    const isNew = (table: string) => !before.has(table);
    if ([...after.keys()].some(isNew)) await fillOlder(newest.url.reveal(), url.reveal(), isNew);
    before = await tablesOf();
  }
  expect(flaws).toEqual([]);
});
