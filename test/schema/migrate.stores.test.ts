import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { migrate } from '../../src/core/schema/migrate.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { migrateTo } from '../../tools/filled/migrate-to.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { dumpSchema } from './schema-dump.ts';

const migrated = await createTestDatabase();
const behind = await createTestDatabase('template1');
const empty = await createTestDatabase('template1');

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
