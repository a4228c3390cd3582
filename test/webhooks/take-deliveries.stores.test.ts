import { beforeEach, expect, test, vi } from 'vitest';
import { setSuspended } from '../../src/features/accounts/account-store.ts';
import { createDeliveryQueue } from '../../src/features/webhooks/delivery-queue.ts';
import {
  countWaitingDeliveries,
  deleteOldEvents,
  retryDelivery,
  retryFailedDeliveries,
} from '../../src/features/webhooks/delivery-store.ts';
import { disableEndpoint } from '../../src/features/webhooks/endpoint-store.ts';
import {
  endLease,
  recordAttempt,
  SEEN_AT_ONCE,
  takeDeliveries,
} from '../../src/features/webhooks/take-deliveries.ts';
import { slowStatement } from '../../src/platform/postgres/database.ts';
import { addAccount } from '../support/accounts.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { SOON } from '../support/soon.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';
import { createWebhookFixture } from './webhook-fixture.ts';

const hooks = await createWebhookFixture();
const { database } = hooks;

beforeEach(async () => {
  await database.query('TRUNCATE webhook_endpoints, webhook_events CASCADE');
});

const take = (limit = 100, isSlow = false) => takeDeliveries(database, limit, { isSlow });
const DELIVERED = {
  ...{ isDelivered: true, status: 200, error: null, retryMs: undefined },
  ...{ isSlow: false, isGone: false },
};
const FAILED = { ...DELIVERED, isDelivered: false, status: 500, error: 'no', retryMs: 5000 };

/** Many events at once, by SQL. */
async function addWaiting(endpointId: string, count: number): Promise<void> {
  await database.query(
    `WITH events AS (
       INSERT INTO webhook_events (id, account_id, type, data)
       SELECT e.id || '-' || n, e.account_id, 'domain.verified', '{}' FROM webhook_endpoints e, generate_series(1, $2) n
        WHERE e.id = $1 RETURNING id)
     INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at)
     SELECT id, $1, now() - interval '1 hour' + row_number() OVER () * interval '1 millisecond' FROM events`,
    [endpointId, count],
  );
}

test('an endpoint gets one event at a time, in their order', async () => {
  await hooks.addEndpoint();
  for (const domain of ['first.example', 'second.example', 'third.example'])
    await hooks.emit(undefined, domain);
  for (const domain of ['first.example', 'second.example', 'third.example']) {
    const [taken, ...others] = await take();
    expect(others).toEqual([]);
    expect(JSON.parse(taken!.data).domain).toBe(domain);
    expect(await take()).toEqual([]);
    await recordAttempt(database, taken!, DELIVERED);
  }
  expect(await take()).toEqual([]);
});

test('an event that failed does not hold up the next ones', async () => {
  await hooks.addEndpoint();
  await hooks.emit(undefined, 'first.example');
  await hooks.emit(undefined, 'second.example');
  const [first] = await take();
  await recordAttempt(database, first!, FAILED);
  const [second] = await take();
  expect(JSON.parse(second!.data).domain).toBe('second.example');
  await recordAttempt(database, second!, DELIVERED);
  expect(await take()).toEqual([]);
  await hooks.pass(6);
  expect((await take())[0]).toMatchObject({ eventId: first!.eventId, attempts: 1 });
});

test('processes that take at once take different ones, each once', async () => {
  const endpoints = await Promise.all(Array.from({ length: 20 }, () => hooks.addEndpoint()));
  await hooks.emit();
  const taken = (await Promise.all(Array.from({ length: 8 }, () => take(5)))).flat();
  expect(taken.map(({ endpointId }) => endpointId).sort()).toEqual(endpoints.map(({ id }) => id).sort());
  expect(await take()).toEqual([]);
});

test('what another process has delivered while a look waited is not taken again', async () => {
  await hooks.addEndpoint();
  await hooks.emit();
  const gate = await database.connect();
  await gate.query('SELECT pg_advisory_lock(7)');
  const waits = (config: { text: string; values: unknown[] }) => {
    const from = 'WHERE w.due_at <= now()';
    expect(config.text).toContain(from);
    const to = 'WHERE (SELECT true FROM pg_advisory_xact_lock(7)) AND w.due_at <= now()';
    return database.query(slowStatement(config.text.replace(from, to), config.values));
  };
  const late = takeDeliveries({ query: waits } as never, 10, { isSlow: false });
  await untilStatementWaits(database, 'WITH RECURSIVE waiting');
  const [taken] = await take();
  await recordAttempt(database, taken!, DELIVERED);
  await gate.query('SELECT pg_advisory_unlock(7)');
  gate.release();
  expect(await late).toEqual([]);
});

test('a look whose second statement fails begins what the first one has taken', async () => {
  await hooks.addEndpoint();
  await hooks.emit();
  let statements = 0;
  const query = (...given: Parameters<typeof database.query>) =>
    ++statements === 2 ? Promise.reject(new Error('no connection')) : database.query(...given);
  const queue = createDeliveryQueue({ ...hooks.options, database: { query } as never });
  expect(await queue.take(10)).toHaveLength(1);
  expect(statements).toBe(2);
});

test('a lease ends by itself after a minute, or when it is given back', async () => {
  await hooks.addEndpoint();
  await hooks.emit();
  const [dead] = await take();
  await hooks.pass(59);
  expect(await take()).toEqual([]);
  await hooks.pass(2);
  const [taken] = await take();
  expect(taken!.fence).toBe(dead!.fence + 1);
  await endLease(database, dead!);
  expect(await take()).toEqual([]);
  await endLease(database, taken!);
  expect(await take()).toHaveLength(1);
});

test('accounts take turns: one that has 20 endpoints with many events delays another one by one turn', async () => {
  const other = await addAccount(database);
  for (let i = 0; i < 20; i++) await addWaiting((await hooks.addEndpoint()).id, 50);
  await hooks.addEndpoint({ accountId: other });
  await hooks.emit(other);
  const owners = [];
  for (let i = 0; i < 2; i++) owners.push((await take(1))[0]!.accountId);
  expect(owners).toContain(other);
});

test('endpoints of an account take turns, though one has older events', async () => {
  const busy = await hooks.addEndpoint();
  await addWaiting(busy.id, 100);
  const [first] = await take(1);
  await recordAttempt(database, first!, DELIVERED);
  const quiet = await hooks.addEndpoint();
  await hooks.emit();
  expect(await take(1)).toMatchObject([{ endpointId: quiet.id }]);
});

test('a suspended account waits, and so does a disabled endpoint', async () => {
  const other = await addAccount(database);
  await hooks.addEndpoint({ accountId: other });
  const disabled = await hooks.addEndpoint();
  await hooks.emit(other);
  await hooks.emit();
  await setSuspended(database, other, true);
  await disableEndpoint(database, disabled.id, 'for a test');
  expect(await take()).toEqual([]);
  expect(await countWaitingDeliveries(database)).toEqual({
    count: 0,
    overdueSeconds: 0,
    disabledEndpoints: 1,
  });
  await setSuspended(database, other, false);
  await hooks.pass(60);
  expect(await countWaitingDeliveries(database)).toMatchObject({
    count: 1,
    overdueSeconds: expect.closeTo(60, -2),
  });
  expect(await take()).toMatchObject([{ accountId: other }]);
});

test('slow endpoints are taken apart, and never have more than half of the places', async () => {
  const slow = await Promise.all(Array.from({ length: 15 }, () => hooks.addEndpoint()));
  await database.query('UPDATE webhook_endpoints SET is_slow = true');
  const fast = await Promise.all(Array.from({ length: 2 }, () => hooks.addEndpoint()));
  await hooks.emit();
  const queue = createDeliveryQueue(hooks.options, 10);
  const taken = await queue.take(10);
  expect(taken.filter(({ isSlow }) => !isSlow)).toHaveLength(fast.length);
  expect(taken.filter(({ isSlow }) => isSlow)).toHaveLength(5);
  expect(await queue.take(3)).toEqual([]);
  const { signal } = new AbortController();
  await Promise.all(taken.map((one) => queue.work(one, signal)));
  expect(await queue.take(10)).toHaveLength(5);
  expect(slow.length).toBeGreaterThan(10);
});

test('an attempt that took long makes its endpoint slow, until one does not', async () => {
  const endpoint = await hooks.addEndpoint();
  await hooks.emit();
  await hooks.emit();
  await recordAttempt(database, (await take())[0]!, { ...DELIVERED, isSlow: true });
  expect(await take()).toEqual([]);
  const [taken] = await take(1, true);
  await recordAttempt(database, taken!, DELIVERED);
  await hooks.emit();
  expect(await take()).toMatchObject([{ endpointId: endpoint.id }]);
});

test('the owner has a delivery tried again: one that waits, was given up or was delivered', async () => {
  const endpoint = await hooks.addEndpoint();
  await hooks.emit();
  for (const end of [FAILED, { ...FAILED, retryMs: undefined }, DELIVERED]) {
    const [taken] = await take();
    await recordAttempt(database, taken!, end);
    expect(await take()).toEqual([]);
    const retried = await retryDelivery(database, endpoint.id, taken!.eventId);
    expect(retried).toMatchObject({
      eventId: taken!.eventId,
      nextAttemptAt: expect.any(Date),
      deliveredAt: null,
    });
  }
  expect(await retryDelivery(database, endpoint.id, 'event_unknown')).toBeUndefined();
});

test('an operator has all tried again that were given up', async () => {
  const endpoint = await hooks.addEndpoint();
  for (const end of [{ ...FAILED, retryMs: undefined }, DELIVERED, { ...FAILED, retryMs: undefined }]) {
    await hooks.emit();
    await recordAttempt(database, (await take())[0]!, end);
  }
  expect(await retryFailedDeliveries(database, endpoint.id)).toBe(2);
  expect(
    (await hooks.deliveries(endpoint)).filter(({ nextAttemptAt }) => nextAttemptAt !== null),
  ).toHaveLength(2);
});

test('events go after 30 days, with their deliveries', async () => {
  const endpoint = await hooks.addEndpoint();
  await addWaiting(endpoint.id, 4500);
  await hooks.pass(29 * 86_400);
  await hooks.emit();
  await deleteOldEvents(database);
  expect((await database.query('SELECT FROM webhook_events')).rowCount).toBe(4501);
  await hooks.pass(2 * 86_400);
  await deleteOldEvents(database);
  expect(await hooks.deliveries(endpoint)).toHaveLength(1);
  expect((await database.query('SELECT FROM webhook_events')).rowCount).toBe(1);
});

test('of each account the newest events are kept up to a number of bytes, and those that wait go last', async () => {
  const endpoint = await hooks.addEndpoint();
  await addWaiting(endpoint.id, 20);
  const other = await hooks.addEndpoint({ accountId: await addAccount(database) });
  await addWaiting(other.id, 4);
  const ids = (await hooks.deliveries(endpoint)).map(({ eventId }) => eventId);
  const finished = ids.slice(5);
  await database.query(
    'UPDATE webhook_deliveries SET due_at = NULL, delivered_at = now() WHERE event_id = ANY($1)',
    [finished],
  );
  const left = async () => (await hooks.deliveries(endpoint)).map(({ eventId }) => eventId);
  // Each has some 320 bytes.
  await deleteOldEvents(database, { maxBytes: 10 * 330, fewEvents: 5 });
  expect(await left()).toHaveLength(10);
  expect(await left()).toEqual(expect.arrayContaining(ids.slice(0, 5)));
  await deleteOldEvents(database, { maxBytes: 3 * 330, fewEvents: 5 });
  expect(await left()).toHaveLength(3);
  expect(ids.slice(0, 5)).toEqual(expect.arrayContaining(await left()));
  expect(await hooks.deliveries(other)).toHaveLength(4);
});

test('of more waiting endpoints than a look sees, each has its turn', async () => {
  const { accountId } = await hooks.addEndpoint();
  await database.query(
    `WITH endpoints AS (
       INSERT INTO webhook_endpoints (id, account_id, url, description)
       SELECT 'webhook_' || md5(n::text), $1, 'https://example.com/', '' FROM generate_series(1, $2::integer) n RETURNING id
     ), event AS (
       INSERT INTO webhook_events (id, account_id, type, data) VALUES ('event_1', $1, 'domain.verified', '{}') RETURNING id)
     INSERT INTO webhook_deliveries (event_id, endpoint_id, due_at) SELECT event.id, endpoints.id, now() FROM event, endpoints`,
    [accountId, SEEN_AT_ONCE + 500],
  );
  const taken = new Set((await take(1e6)).map(({ endpointId }) => endpointId));
  expect(taken.size).toBe(SEEN_AT_ONCE);
  await vi.waitFor(async () => {
    for (const { endpointId } of await take(1e6)) taken.add(endpointId);
    expect(taken.size).toBe(SEEN_AT_ONCE + 500);
  }, SOON);
});

test('among 100,000 waiting deliveries it reads a few index entries of each endpoint', async () => {
  for (let i = 0; i < 10; i++) {
    const accountId = await addAccount(database);
    for (let n = 0; n < 10; n++) await addWaiting((await hooks.addEndpoint({ accountId })).id, 1000);
  }
  await database.query('VACUUM ANALYZE webhook_deliveries, webhook_events, webhook_endpoints');
  const one = createPatientPool(hooks.url, 1, hooks.log);
  try {
    // The plan that processes have for the prepared statement, with what it read.
    await takeDeliveries(one, 1, { isSlow: true });
    const { rows } = await one.query(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE "take-deliveries"(40, false, 60, false, 'webhook_M')`,
    );
    const [{ Plan: plan, 'Execution Time': ms }] = rows[0]['QUERY PLAN'];
    const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    console.log(`40 of 100,000 deliveries taken in ${ms} ms, ${blocks} blocks`);
    // 100 endpoints: some blocks for each jump, and some for each delivery that was taken.
    expect(blocks).toBeLessThan(5000);
    expect(JSON.stringify(plan)).not.toMatch(/"Seq Scan","[^}]*"Relation Name":"webhook_deliveries"/);
  } finally {
    await one.end();
  }
});
