import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { checkSchema } from '../../src/core/schema/check-schema.ts';
import { migrate } from '../../src/core/schema/migrate.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.ts';
import { Secret } from '../../src/platform/secret.ts';
import { migrateTo } from '../../tools/filled/migrate-to.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { databaseUrl } from '../support/postgres-server.ts';
import { soon } from '../support/soon.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { dumpSchema } from './schema-dump.ts';

const migrated = await createTestDatabase();
const behind = await createTestDatabase('template1');
const empty = await createTestDatabase('template1');
const owned = await createTestDatabase('template1');

test('the migrations add up to test/schema.sql (npm test -- -u writes it again)', async () => {
  await expect(await dumpSchema(migrated.database)).toMatchFileSnapshot('../schema.sql');
});

test('a database that has the schema is left unchanged', async () => {
  expect(await migrate(migrated.database)).toEqual([]);
});

test('each migration is applied by one of many processes that migrate at once', async () => {
  const pools = Array.from({ length: 4 }, () => createPatientPool(empty.url, 2));
  const applied = await Promise.all(pools.map((pool) => migrate(pool)));
  await Promise.all(pools.map((pool) => pool.end()));
  const { rows } = await empty.database.query('SELECT name FROM migrations ORDER BY id');
  expect(applied.flat()).toEqual(rows.map(({ name }) => name));
  expect(rows.length).toBeGreaterThan(0);
  expect(await dumpSchema(empty.database)).toBe(await dumpSchema(migrated.database));
});

test('a publication may have all tables: each row that changes has an identity', async () => {
  const { rows } = await migrated.database.query(
    `SELECT oid::regclass::text AS "table" FROM pg_class c
      WHERE relnamespace::regnamespace::text IN ('public', 'graphile_worker') AND relkind = 'r' AND relpersistence = 'p'
        AND relreplident = 'd' AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisprimary)`,
  );
  expect(rows).toEqual([]);
});

test('a role with a schema of its own migrates there, and never needs public', async () => {
  const { database } = owned;
  const { rows } = await database.query('SELECT current_database() AS name');
  const { name } = rows[0];
  const role = `role_of_${name}`;
  await database.query(`REVOKE ALL ON SCHEMA public FROM public; CREATE ROLE ${role} LOGIN PASSWORD 'own'`);
  await database.query(
    `GRANT CREATE ON DATABASE ${name} TO ${role}; CREATE SCHEMA own AUTHORIZATION ${role}; ALTER ROLE ${role} SET search_path = own`,
  );
  const url = new URL(owned.url.reveal());
  Object.assign(url, { username: role, password: 'own' });
  const pool = createPatientPool(new Secret(url.href), 2);
  try {
    await migrate(pool);
    expect(await migrate(pool)).toEqual([]);
    await checkSchema(pool);
  } finally {
    await pool.end();
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test('a new database that cannot keep every text is refused with the cure', async () => {
  const name = `latin_${randomBytes(8).toString('hex')}`;
  await behind.database.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  const pool = createPatientPool(databaseUrl(behind.url.reveal(), name), 2);
  try {
    await expect(migrate(pool)).rejects.toThrow(
      /^The database has the encoding LATIN1, .* CREATE DATABASE waypost ENCODING 'UTF8'/,
    );
  } finally {
    await pool.end();
    await behind.database.query(`DROP DATABASE ${name}`);
  }
});

test('whoever writes does not wait behind a migration that waits for a lock', async () => {
  const { database } = behind;
  await migrateTo(database, '0018_pending_checks');
  const reader = await database.connect();
  // The reader holds its lock like a long report.
  await reader.query('BEGIN; SELECT FROM api_keys');
  const migrating = migrate(database);
  for (let n = 0; n < 20; n++) {
    await inTransaction(database, (transaction) => transaction.query('UPDATE api_keys SET name = name'), {
      lock_timeout: 2000,
    });
    await delay(50);
  }
  const isWaiting = Promise.race([migrating.then(() => false), delay(0, true)]);
  expect(await isWaiting).toBe(true);
  await reader.query('COMMIT');
  reader.release();
  expect(await migrating).toContain('0019_key_creators');
});

test('an autovacuum of a large table does not hold up a migration for long', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-migrate-'));
  const settings = {
    ...{ autovacuum_naptime: '1s', autovacuum_vacuum_cost_delay: '100ms', autovacuum_vacuum_cost_limit: '1' },
    ...{ autovacuum_vacuum_threshold: '0', autovacuum_vacuum_scale_factor: '0' },
  };
  const server = await startEmbeddedPostgres(join(folder, 'postgres'), { durable: false, settings });
  const pool = createPatientPool(server.url, 2);
  try {
    await pool.query(
      'CREATE TABLE large AS SELECT n, repeat($1, 500) AS text FROM generate_series(1, 50000) n',
      ['x'],
    );
    await pool.query('DELETE FROM large WHERE n % 2 = 0');
    const isVacuumed = async () =>
      (await pool.query(`SELECT FROM pg_stat_progress_vacuum WHERE relid = 'large'::regclass`)).rowCount ===
      1;
    await vi.waitUntil(isVacuumed, soon('an autovacuum'));
    await writeFile(join(folder, '0001_column.sql'), 'ALTER TABLE large ADD COLUMN more text;\n');
    expect(await migrate(pool, { migrations: folder, patientEveryMs: 500 })).toEqual(['0001_column']);
  } finally {
    await pool.end();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
