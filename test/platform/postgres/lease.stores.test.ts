/** The rule of all leases, with two processes: what a holder may do, and when another one may take over. */
import { afterEach, expect, test, vi } from 'vitest';
import { holdLease } from '../../../src/platform/postgres/hold-lease.ts';
import { LeaseLost } from '../../../src/platform/postgres/lease.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { createPatientPool } from '../../support/patient-pool.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { createLeasedRows } from './leased-rows.ts';

/** Long enough for a busy machine. */
const LENGTH_MS = 2000;

const { database, url } = await createTestDatabase();
const { add, take, takeOver, hold, renew, change, free, end } = await createLeasedRows(database, LENGTH_MS);

afterEach(() => void vi.useRealTimers());

test.each(['refuse', 'hang'] as const)(
  'a holder stops before another one can take over, if the database does not answer it any more: %s',
  async (mode) => {
    const address = new URL(url.reveal());
    await using proxy = await startFaultProxy({ port: Number(address.port), protocol: 'postgres' });
    address.port = String(proxy.port);
    const pool = createPatientPool(new Secret(address.href), 2);
    const held = (await take(await add(), pool))!;
    const lease = hold(held, pool);
    // The lease is renewed for longer than its length, and goes on.
    await expect.poll(() => proxy.requests).toBeGreaterThan(8);
    expect(lease.signal.aborted).toBe(false);
    expect(await take(held.name)).toBeUndefined();

    proxy.mode = mode;
    const next = await takeOver(held.name);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLost);

    proxy.mode = 'pass';
    proxy.cutAll();
    expect(await change(held, pool)).toBe(false);
    await lease.release();
    expect(await change(next)).toBe(true);
    expect(await take(held.name)).toBeUndefined();
    await pool.end();
  },
);

test('the fence of a former holder changes nothing, and its next renewal tells it', async () => {
  const former = (await take(await add()))!;
  const lease = hold(former);
  await end(former.name);
  const next = await takeOver(former.name);
  await expect.poll(() => lease.signal.reason).toBeInstanceOf(LeaseLost);
  expect(await change(former)).toBe(false);
  await lease.release();
  expect(await take(former.name)).toBeUndefined();
  expect(await change(next)).toBe(true);
});

test('a lease that ended stays with its holder until another one takes it', async () => {
  const held = (await take(await add()))!;
  await end(held.name);
  expect(await change(held)).toBe(true);
  await renew(held);
  expect(await take(held.name)).toBeUndefined();
});

test('another one can take the lease at once after a release, and after the end of the scope', async () => {
  const first = (await take(await add()))!;
  await hold(first).release();
  const second = (await take(first.name))!;
  expect(second.fence).toBe(first.fence + 1);
  {
    await using _ = hold(second);
    expect(await take(first.name)).toBeUndefined();
  }
  expect(await take(first.name)).toBeDefined();
});

test.each([-1, 1])('a clock of the process that steps by %i hours changes nothing', async (hours) => {
  const held = (await take(await add()))!;
  let renewals = 0;
  await using lease = holdLease({
    lengthMs: LENGTH_MS,
    renew: async () => {
      await renew(held);
      renewals += 1;
    },
    release: async () => void (await free(held)),
  });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
  expect(await take(held.name)).toBeUndefined();
  await expect.poll(() => renewals).toBeGreaterThan(5);
  expect(lease.signal.aborted).toBe(false);
  expect(await take(held.name)).toBeUndefined();
});
