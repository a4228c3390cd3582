import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { addToCounts, deleteOldCounts } from '../../src/features/accounts/rate-limit-store.ts';
import {
  blockedSeconds,
  createRateLimit,
  createRateLimits,
} from '../../src/features/accounts/rate-limits.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();
const secondPool = createPatientPool(url, 10);
afterAll(() => secondPool.end());

const FAILURES = 7;
/** Like two processes. */
const [first, second] = [database, secondPool].map(limitsOf) as [Limits, Limits];
type Limits = ReturnType<typeof limitsOf>;
function limitsOf(pool: Database) {
  const countFailure = createRateLimit(pool, 'failed-authentication', FAILURES);
  return {
    ...createRateLimits(pool, readPlans()),
    countFailedAuthentication: async (client: string) => blockedSeconds(await countFailure(client)),
  };
}
const either = (n: number) => (n % 2 === 0 ? first : second);

describe('requests', () => {
  test('of several processes at once are counted exactly', async () => {
    const states = await Promise.all(
      Array.from({ length: 50 }, (_, n) => either(n).countRequest('account_parallel', 'starter')),
    );
    expect(states.filter(({ excess }) => excess === 0)).toHaveLength(20);
    const remaining = states.map((state) => state.remaining).sort((a, b) => b - a);
    expect(remaining.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, n) => 19 - n));
    expect(remaining.slice(20)).toEqual(Array(30).fill(0));
  });

  test('have their limit, the rest and the time of the next window', async () => {
    const state = await first.countRequest('account_state', 'free');
    expect(state).toEqual({ limit: 5, remaining: 4, resetSeconds: expect.any(Number), excess: 0 });
    expect(state.resetSeconds).toBeGreaterThan(0);
    expect(state.resetSeconds).toBeLessThanOrEqual(60);
  });

  test('are counted separately for each account', async () => {
    for (let n = 0; n < 6; n++) await first.countRequest('account_full', 'free');
    expect((await second.countRequest('account_full', 'free')).excess).toBe(2);
    expect((await second.countRequest('account_other', 'free')).remaining).toBe(4);
  });

  test('are counted under the highest limit that a plan can have', async () => {
    const limit = Number.MAX_SAFE_INTEGER;
    const plans = readPlans(JSON.stringify({ enterprise: { requestsPerMinute: limit } }));
    const { countRequest, countChange } = createRateLimits(database, plans);
    for (const remaining of [limit - 1, limit - 2]) {
      expect(await countRequest('account_unlimited', 'enterprise')).toMatchObject({ limit, remaining });
    }
    expect(await countChange('account_unlimited', 'enterprise')).toMatchObject({ excess: 0 });
    const { rows } = await database.query(
      `SELECT requests FROM request_days WHERE account_id = 'account_unlimited'`,
    );
    expect(rows).toEqual([{ requests: 3 }]);
  });

  test('keep their count when the plan changes', async () => {
    for (let n = 0; n < 5; n++) await first.countRequest('account_plan', 'free');
    expect(await second.countRequest('account_plan', 'starter')).toMatchObject({ limit: 20, remaining: 14 });
    expect((await first.countRequest('account_plan', 'free')).excess).toBe(2);
  });

  test('start from zero when the window ends', async () => {
    for (let n = 0; n < 6; n++) await first.countRequest('account_window', 'free');
    await database.query("UPDATE request_days SET ends_at = 1 WHERE account_id = 'account_window'");
    expect(await second.countRequest('account_window', 'free')).toMatchObject({
      remaining: 4,
      excess: 0,
    });
  });
});

test('a window that a clock ahead of ours began, begins anew', async () => {
  for (let n = 0; n < 6; n++) await first.countRequest('account_ahead', 'free');
  await database.query(
    "UPDATE request_days SET ends_at = ends_at + 86400000 WHERE account_id = 'account_ahead'",
  );
  const state = await second.countRequest('account_ahead', 'free');
  expect(state).toMatchObject({ remaining: 4, excess: 0 });
  expect(state.resetSeconds).toBeLessThanOrEqual(60);
});

describe('of several accounts and processes at once', () => {
  /** The caller, and the process that it asks. */
  const asked = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(1)), { maxLength: 60 });

  test('each request has the count that it would have if they came one after the other', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(asked, async (requests) => {
        run++;
        const states = await Promise.all(
          requests.map(([name, process]) => either(process).countRequest(`${name} ${run}`, 'starter')),
        );
        for (const name of ['a', 'b', 'c']) {
          const counts = (process?: number) =>
            states
              .filter((_, i) => requests[i]![0] === name && (process ?? requests[i]![1]) === requests[i]![1])
              .map(({ limit, remaining, excess }) => limit - remaining + excess);
          const all = counts().sort((a, b) => a - b);
          expect(all).toEqual(all.map((_, i) => i + 1));
          // Requests of one process are counted in the order in which they came.
          for (const own of [counts(0), counts(1)]) expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('no two of them wait for each other in a circle', async () => {
    const subjects = Array.from({ length: 200 }, (_, n) => `circle ${n}`);
    const added = subjects.map(() => 1);
    const rounds = Array.from({ length: 20 }, () =>
      Promise.all([
        addToCounts(database, subjects, added, 60_000),
        addToCounts(secondPool, subjects.toReversed(), added, 60_000),
      ]),
    );
    await Promise.all(rounds);
    const counts = await addToCounts(database, subjects, added, 60_000);
    expect(counts.map(({ points }) => points)).toEqual(subjects.map(() => 41));
  });

  test('a window that ends among others begins anew, alone', async () => {
    const count = () => Promise.all(['x', 'y', 'x'].map((name) => first.countRequest(name, 'free')));
    await count();
    await database.query("UPDATE request_days SET ends_at = 1 WHERE account_id = 'x'");
    expect((await count()).map(({ remaining }) => remaining)).toEqual([4, 3, 3]);
  });
});

test('counts are deleted an hour after their window, and no others', async () => {
  const keys = ['old', 'recent', 'open'];
  const now = Date.now();
  await addToCounts(database, keys, [1, 1, 1], 60_000);
  for (const [key, agoMs] of [
    ['old', 3_660_000],
    ['recent', 3_540_000],
  ]) {
    await database.query('UPDATE rate_limits SET expire = $2 WHERE key = $1', [key, now - Number(agoMs)]);
  }
  await deleteOldCounts(database);
  const { rows } = await database.query('SELECT key FROM rate_limits WHERE key = ANY($1) ORDER BY key', [
    keys,
  ]);
  expect(rows.map(({ key }) => key)).toEqual(['open', 'recent']);
});

test('failed authentications of one client at once are counted exactly, and beyond the limit the answer says how long to wait', async () => {
  const waits = await Promise.all(
    Array.from({ length: 20 }, (_, n) => either(n).countFailedAuthentication('192.0.2.1')),
  );
  expect(waits.filter((seconds) => seconds === 0)).toHaveLength(FAILURES);
  for (const seconds of waits) expect(seconds).toBeLessThanOrEqual(60);
  expect(await first.countFailedAuthentication('192.0.2.2')).toBe(0);
});

describe('a window of failed authentications', () => {
  const fail = async (client: string) => {
    for (let n = 0; n < FAILURES; n++) await first.countFailedAuthentication(client);
  };
  const moveWindow = (client: string, ms: number) =>
    database.query('UPDATE rate_limits SET expire = expire + $2 WHERE key = $1', [
      `failed-authentication:${client}`,
      ms,
    ]);

  test('that a statement began which started later is the same window, and no wait is longer than one', async () => {
    await fail('192.0.2.3');
    await moveWindow('192.0.2.3', 5000);
    expect(await second.countFailedAuthentication('192.0.2.3')).toBe(60);
  });

  test('that a clock ahead of ours began, begins anew', async () => {
    await fail('192.0.2.4');
    await moveWindow('192.0.2.4', 86_400_000);
    expect(await second.countFailedAuthentication('192.0.2.4')).toBe(0);
  });
});

test('requests in a window that a statement began which started later are of that window, and no wait is longer than one', async () => {
  for (let n = 0; n < 6; n++) await first.countRequest('account_late', 'free');
  await database.query("UPDATE request_days SET ends_at = ends_at + 5000 WHERE account_id = 'account_late'");
  expect(await second.countRequest('account_late', 'free')).toMatchObject({ excess: 2, resetSeconds: 60 });
});
