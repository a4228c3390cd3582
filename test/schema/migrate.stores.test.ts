import { expect, test } from 'vitest';
import { migrate } from '../../src/schema/migrate.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { dumpSchema } from './schema-dump.ts';

const migrated = await createTestDatabase();
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
