/**
 * Each call of a process that changes a domain and tells its account's webhook breaks in turn: to Postgres, and to the
 * receiver. Another process goes on. If the change was committed, its event arrives at least once, always with one id, and
 * signed; otherwise there is no event.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { needsVerification } from '../../src/domains/domain.ts';
import { findDomain } from '../../src/domains/domain-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secret.ts';
import { shownSecret } from '../../src/webhooks/endpoint-secret.ts';
import { insertEndpoint } from '../../src/webhooks/endpoint-store.ts';
import { addAccount, addDomain } from '../support/accounts.ts';
import { type FaultAction, type FaultRule, startFaultProxy } from '../support/fault-proxy.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { openTelling } from './support/telling.ts';

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

/** Started ahead, because a start takes longer than the work. */
const warm: Promise<ChildProcess>[] = [];
async function start(): Promise<ChildProcess> {
  const child = fork(`${import.meta.dirname}/support/tell-once.ts`, {
    ...{ env: { ...process.env, VITEST: '' }, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  });
  scope.defer(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

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
  ['a short hang, then a cut,', () => ({ call: () => delay(150) })],
];
const FAULTS: readonly Fault[] = PLACES.flatMap((place) =>
  ACTIONS.map(([name, action]) => ({ ...place, action, name: `${name} at ${place.at} N of ${place.peer}` })),
);
/** For a sample: tries only every STEP-th N. */
const STEP = Number(process.env.FAULTS_EVERY ?? 1);

/** Returns what was struck; undefined if everything ended before the fault. */
async function breakOnce({ peer, at, action }: Fault, n: number) {
  await database.query('TRUNCATE webhook_endpoints, webhook_events CASCADE');
  receiver.received.length = 0;
  const domain = await addDomain(database, account);
  const endpointId = newId('webhook');
  await insertEndpoint(database, {
    ...{ id: endpointId, accountId: account, url: `http://127.0.0.1:${proxies.receiver.port}/hook` },
    ...{ description: '', eventTypes: null },
  });
  while (warm.length < 3) warm.push(start());
  const victim = await warm.shift()!;
  const proxy = proxies[peer];
  proxy.rule = { at, n, action: action(() => void victim.kill('SIGKILL')) };
  const ended = once(victim, 'exit');
  victim.send({ ...throughProxy, domain });
  await ended;
  const { struck } = proxy;
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
  return struck;
}

test.each(FAULTS)('$name', async (fault) => {
  let strikes = 0;
  for (let n = 1; ; n += STEP) {
    if ((await breakOnce(fault, n)) === undefined) break;
    strikes += 1;
  }
  expect(strikes).toBeGreaterThan(0);
  console.log(`${strikes} × ${fault.name}`);
});
