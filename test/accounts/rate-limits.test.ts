import { afterAll, describe, expect, test } from 'vitest';
import { readPlans } from '../../src/accounts/plans.ts';
import { createRateLimits } from '../../src/accounts/rate-limits.ts';
import { createDatabasePool } from '../../src/platform/postgres/database.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();
const secondPool = createDatabasePool(url, 10, collectLog());
afterAll(() => secondPool.end());

const FAILURES = 7;
/** Like two processes. */
const [first, second] = [database, secondPool].map((pool) =>
  createRateLimits(pool, readPlans(), FAILURES),
) as [ReturnType<typeof createRateLimits>, ReturnType<typeof createRateLimits>];
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

  test('keep their count when the plan changes', async () => {
    for (let n = 0; n < 5; n++) await first.countRequest('account_plan', 'free');
    expect(await second.countRequest('account_plan', 'starter')).toMatchObject({ limit: 20, remaining: 14 });
    expect((await first.countRequest('account_plan', 'free')).excess).toBe(2);
  });

  test('start from zero when the window ends', async () => {
    for (let n = 0; n < 6; n++) await first.countRequest('account_window', 'free');
    await database.query("UPDATE rate_limits SET expire = 1 WHERE key LIKE '%account_window'");
    expect(await second.countRequest('account_window', 'free')).toMatchObject({
      remaining: 4,
      excess: 0,
    });
  });
});

test('failed authentications of one client at once are counted exactly, and beyond the limit the answer says how long to wait', async () => {
  const waits = await Promise.all(
    Array.from({ length: 20 }, (_, n) => either(n).countFailedAuthentication('192.0.2.1')),
  );
  expect(waits.filter((seconds) => seconds === 0)).toHaveLength(FAILURES);
  for (const seconds of waits) expect(seconds).toBeLessThanOrEqual(60);
  expect(await first.countFailedAuthentication('192.0.2.2')).toBe(0);
});
