/**
 * Each call of a process that changes a domain and tells its account's webhook breaks in turn: to Postgres, and to the
 * receiver. Another process goes on. If the change was committed, its event arrives at least once, always with one id, and
 * signed; otherwise there is no event.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { needsVerification } from '../../src/features/domains/domain.ts';
import { findDomain } from '../../src/features/domains/domain-store.ts';
import { shownSecret } from '../../src/features/webhooks/endpoint-secret.ts';
import { insertEndpoint } from '../../src/features/webhooks/endpoint-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount, addDomain } from '../support/accounts.ts';
import { type FaultAction, type FaultRule, startFaultProxy } from '../support/fault-proxy.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import {
  type BrokenRun,
  coveredLine,
  createCallBreaker,
  DELAY_MS,
  sampleOf,
} from './support/broken-calls.ts';
import { openTelling, type TellingTask } from './support/telling.ts';
import { startWarmProcesses } from './support/warm-processes.ts';

const { database, url } = await createTestDatabase();
const scope = new AsyncDisposableStack();
afterAll(() => scope.disposeAsync());
const receiver = scope.use(await startWebhookReceiver());
const address = new URL(url.reveal());
const proxies = {
  postgres: scope.use(await startFaultProxy({ port: Number(address.port), protocol: 'postgres' })),
  receiver: scope.use(await startFaultProxy({ port: Number(new URL(receiver.url).port), protocol: 'http' })),
};
const master = 'a master secret of the sweep, of 32 characters';
const throughProxy = {
  databaseUrl: Object.assign(new URL(address), { port: proxies.postgres.port }).href,
  master,
};
const survivor = scope.use(openTelling({ databaseUrl: address.href, master }));
const account = await addAccount(database);

const nextVictim = startWarmProcesses<TellingTask>('tell-once.ts', scope);

interface Fault {
  readonly name: string;
  readonly peer: keyof typeof proxies;
  readonly at: FaultRule['at'];
  readonly action: (kill: () => void) => FaultAction;
}
const PLACES = (['postgres', 'receiver'] as const).flatMap((peer) =>
  (['request', 'request end', 'response', 'response end'] as const).map((at) => ({ peer, at })),
);
const ACTIONS: readonly (readonly [string, Fault['action']])[] = [
  ['SIGKILL', (kill) => ({ call: kill })],
  ['cut', () => 'cut'],
  ['a short hang, then a cut,', () => ({ call: () => delay(DELAY_MS) })],
];
const FAULTS: readonly Fault[] = PLACES.flatMap((place) =>
  ACTIONS.map(([name, action]) => ({ ...place, action, name: `${name} at ${place.at} N of ${place.peer}` })),
);

async function breakOnce({ peer, at, action }: Fault, n: number): Promise<BrokenRun> {
  await database.query('TRUNCATE webhook_endpoints, webhook_events CASCADE');
  receiver.received.length = 0;
  const domain = await addDomain(database, account);
  const endpointId = newId('webhook');
  await insertEndpoint(database, {
    ...{ id: endpointId, accountId: account, url: `http://127.0.0.1:${proxies.receiver.port}/hook` },
    ...{ description: '', eventTypes: null },
  });
  const victim = await nextVictim();
  const proxy = proxies[peer];
  proxy.resetCounts();
  proxy.rule = { at, n, action: action(() => victim.kill()) };
  await victim.run({ ...throughProxy, domain });
  const { struck, requests } = proxy;
  proxy.rule = undefined;

  const isChanged = !needsVerification((await findDomain(database, domain.id))!);
  for (let left = 1; left > 0; ) {
    // Leases end, and retries come.
    await database.query(
      `UPDATE webhook_endpoints SET leased_until = NULL;
       UPDATE webhook_deliveries SET due_at = now() WHERE due_at IS NOT NULL`,
    );
    await survivor.deliver();
    left = (await database.query('SELECT FROM webhook_deliveries WHERE due_at IS NOT NULL')).rowCount ?? 0;
  }
  const { rows: events } = await database.query('SELECT id FROM webhook_events');
  expect(events).toHaveLength(isChanged ? 1 : 0);
  const secret = new Webhook(shownSecret(new Secret(master), endpointId, 1));
  const ids = receiver.received.map(({ body, headers }) => {
    const { data } = secret.verify(body, headers as Record<string, string>) as { data: { domainId: string } };
    expect(data.domainId).toBe(domain.id);
    return headers['webhook-id'];
  });
  expect([...new Set(ids)]).toEqual(events.map(({ id }) => id));
  return { struck, calls: { [peer]: requests } };
}

const breakEachCall = createCallBreaker();
test.each(sampleOf(FAULTS))('$name', async (fault) => {
  console.log(coveredLine(await breakEachCall(fault, (n) => breakOnce(fault, n)), fault.name));
});
