import { beforeEach, expect, test, vi } from 'vitest';
import { createCounters } from '../../src/compose/counters.ts';
import { type Counters, createReadCounts, refreshCounts } from '../../src/operations/counts.ts';
import { createMetrics } from '../../src/operations/registry.ts';
import { addAccount, addDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
beforeEach(() => database.query('DELETE FROM counts'));

const log = collectLog();
const again = (ago: string) => database.query('UPDATE counts SET counted_at = now() - $1::interval', [ago]);

test('everything is counted once for all processes, and read by each', async () => {
  await addDomain(database, await addAccount(database));
  await refreshCounts(database, createCounters(database, undefined), log);
  const read = createReadCounts(createMetrics(), database);
  expect(await read('domains')()).toEqual({ pending_verification: 1 });
  expect(await read('certificates')()).toMatchObject({ leastDays: null, late: 0, failing: 0 });
  expect(await read('missing keys')()).toBe(0);
  expect(await read('comparisons')()).toEqual({ due: 0, oldestSeconds: 0 });
  expect(await read('page hosts')()).toEqual({});
  expect(await read('submissions')()).toMatchObject({ batches: 0, overdueSeconds: 0 });
  expect(await read('webhooks')()).toMatchObject({ count: 0, disabledEndpoints: 0 });
  expect(await read('work')()).toMatchObject({ loads: 0, jobs: 0 });
});

test('what took long is counted less often', async () => {
  const count = vi.fn(async () => ({}));
  const counters = { domains: count } as unknown as Counters;
  await refreshCounts(database, counters, log);
  await database.query('UPDATE counts SET seconds = 0.6');
  await again('9 minutes');
  await refreshCounts(database, counters, log);
  expect(count).toHaveBeenCalledTimes(1);
  await again('11 minutes');
  await refreshCounts(database, counters, log);
  expect(count).toHaveBeenCalledTimes(2);
});

test('what was counted while the clock was ahead is counted again', async () => {
  const count = vi.fn(async () => ({}));
  const counters = { domains: count } as unknown as Counters;
  await refreshCounts(database, counters, log);
  await again('-1 year');
  await refreshCounts(database, counters, log);
  expect(count).toHaveBeenCalledTimes(2);
});

test('a count that fails keeps its value, stops no other, and its age shows', async () => {
  const counters = { domains: async () => ({ verified: 7 }), webhooks: async () => ({ count: 1 }) };
  await refreshCounts(database, counters as unknown as Counters, log);
  await again('1 hour');
  const failing = { ...counters, domains: () => Promise.reject(new Error('too slow')) };
  await refreshCounts(database, failing as unknown as Counters, log);
  expect(log.lines).toContainEqual(expect.objectContaining({ message: 'a count for metrics failed' }));
  const metrics = createMetrics();
  const read = createReadCounts(metrics, database);
  expect(await read('domains')()).toEqual({ verified: 7 });
  expect(await metrics.metrics()).toMatch(/waypost_counts_age_seconds 3[56]\d\d/);
  const { rows } = await database.query(
    `SELECT name FROM counts WHERE counted_at > now() - interval '1 minute'`,
  );
  expect(rows).toEqual([{ name: 'webhooks' }]);
});

test('while the database is away, the last counts stay', async () => {
  await refreshCounts(database, { domains: async () => ({ verified: 7 }) } as unknown as Counters, log);
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  try {
    let isDown = false;
    const away = {
      query: (...args: unknown[]) =>
        isDown
          ? Promise.reject(new Error('down'))
          : (database.query as (...all: unknown[]) => unknown)(...args),
    } as unknown as typeof database;
    const metrics = createMetrics();
    const read = createReadCounts(metrics, away)('domains');
    expect(await read()).toEqual({ verified: 7 });
    isDown = true;
    vi.advanceTimersByTime(600_000);
    expect(await read()).toEqual({ verified: 7 });
    expect(await metrics.metrics()).toMatch(/waypost_counts_age_seconds 600/);
  } finally {
    vi.useRealTimers();
  }
});
