/**
 * The sweep of a lease: each call of its holder to Postgres breaks in turn. A rival takes the lease as soon as it is free.
 * The holder has stopped by then, and changes nothing any more.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createDatabasePool } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { createLeasedRows, type Held } from '../platform/postgres/leased-rows.ts';
import { collectLog } from '../support/collect-log.ts';
import {
  type FaultAction,
  type FaultProxy,
  type FaultRule,
  startFaultProxy,
} from '../support/fault-proxy.ts';
import { createTestDatabase } from '../support/test-database.ts';
import {
  type BrokenRun,
  coveredLine,
  createCallBreaker,
  DELAY_MS,
  sampleOf,
} from './support/broken-calls.ts';
import { CALL_TIMEOUT_MS } from './support/open-stores.ts';

const LENGTH_MS = 1000;
/** Longer than a lease, so it is renewed. */
const CHANGES = 4;
const BETWEEN_CHANGES_MS = 300;

interface Fault {
  readonly name: string;
  readonly at: FaultRule['at'];
  readonly action: (proxy: FaultProxy) => FaultAction;
}

const FAULTS: readonly Fault[] = (['request', 'response'] as const).flatMap((at): Fault[] => [
  { name: `cut at ${at} N`, at, action: () => 'cut' },
  { name: `a connection that hangs at ${at} N`, at, action: () => 'hang' },
  { name: `delay at ${at} N`, at, action: () => ({ delayMs: DELAY_MS }) },
  {
    ...{ name: `no Postgres from ${at} N on`, at },
    action: (proxy) => ({
      call: () => {
        proxy.mode = 'refuse';
      },
    }),
  },
]);

const { database, url } = await createTestDatabase();
const rows = await createLeasedRows(database, LENGTH_MS);
const covered: string[] = [];
afterAll(() => console.log(`a lease\n${covered.join('\n')}`));

/** Returns the fence under which it works, as long as it does. */
function startHolder(name: string, proxyPort: number) {
  const address = Object.assign(new URL(url.reveal()), { port: proxyPort });
  const pool = createDatabasePool(new Secret(address.href), 2, collectLog(), CALL_TIMEOUT_MS);
  let atWork: Held | undefined;
  const stop = () => {
    atWork = undefined;
  };
  const work = async () => {
    const held = await rows.take(name, pool);
    if (held === undefined) throw new Error('the rival was quicker');
    await using lease = rows.hold(held, pool);
    // Before the release.
    using _ = { [Symbol.dispose]: stop };
    atWork = held;
    lease.signal.addEventListener('abort', stop);
    for (let n = 0; n < CHANGES && !lease.signal.aborted; n++) {
      await rows.change(held, pool);
      await delay(BETWEEN_CHANGES_MS);
    }
  };
  const ended = work()
    .catch(() => {})
    .finally(() => pool.end());
  return { ended, atWork: () => atWork };
}

async function breakOnce({ name: fault, at, action }: Fault, n: number): Promise<BrokenRun> {
  const name = await rows.add();
  await using proxy = await startFaultProxy({
    port: Number(new URL(url.reveal()).port),
    protocol: 'postgres',
  });
  proxy.rule = { at, n, action: action(proxy) };
  const holder = startHolder(name, proxy.port);
  // The first call takes the lease, or fails.
  while (holder.atWork() === undefined && proxy.struck === undefined) {
    await delay(1);
  }
  const next = await rows.takeOver(name);
  expect(holder.atWork(), fault).toBeUndefined();
  const { struck, requests: postgres } = proxy;
  proxy.mode = 'pass';
  proxy.cutAll();
  await holder.ended;
  expect(await rows.change(next), fault).toBe(true);
  expect(await rows.take(name), fault).toBeUndefined();
  return { struck, calls: { postgres } };
}

const breakEachCall = createCallBreaker();
test.each(sampleOf(FAULTS))('$name', async (fault) => {
  const strikes = await breakEachCall({ peer: 'postgres', ...fault }, (n) => breakOnce(fault, n));
  covered.push(coveredLine(strikes, fault.name));
});
