import { expect, test } from 'vitest';
import { observeDatabase } from '../../src/operations/observe-database.ts';
import { createMetrics } from '../../src/operations/registry.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { url } = await createTestDatabase();

test('statements of pool and transactions work as before, and are timed', async () => {
  const metrics = createMetrics();
  const database = createPatientPool(url, 2);
  observeDatabase(database, metrics);
  await using scope = new AsyncDisposableStack();
  scope.defer(() => database.end());
  const value = async (line: string) =>
    Number(
      (await metrics.metrics())
        .split('\n')
        .find((text) => text.startsWith(line))
        ?.slice(line.length) ?? 0,
    );
  const done = 'waypost_database_query_duration_seconds_count{outcome="done"}';
  const failed = 'waypost_database_query_duration_seconds_count{outcome="failed"}';

  expect((await database.query('SELECT $1::int AS one', [1])).rows).toEqual([{ one: 1 }]);
  await expect(database.query('SELECT nonsense')).rejects.toThrow('nonsense');
  expect([await value(done), await value(failed)]).toEqual([1, 1]);

  await inTransaction(database, async (transaction) => {
    await transaction.query('CREATE TEMPORARY TABLE numbers (n int)');
    await transaction.query('INSERT INTO numbers VALUES ($1), ($2)', [1, 2]);
    expect((await transaction.query('SELECT sum(n)::int AS sum FROM numbers')).rows).toEqual([{ sum: 3 }]);
  });
  // BEGIN, CREATE, INSERT, SELECT, COMMIT.
  expect(await value(done)).toBe(6);
  expect(await value('waypost_database_connections')).toBe(1);
  expect(await value('waypost_database_idle_connections')).toBe(1);
  expect(await value('waypost_database_waiting_requests')).toBe(0);
});
