/** The answer to a COMMIT of the API is lost, or the COMMIT itself. The client sends its request again: it is done once. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test, vi } from 'vitest';
import type { ApiAnswer, Customer } from '../service/support/customer.ts';
import type { FaultAction, FaultRule } from '../support/fault-proxy.ts';
import { SOON, startService } from './support/running-service.ts';

const service = await startService({
  WEBHOOK_SECRET: 'a secret of the fault tests that has 32 characters',
  OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
});
afterAll(() => service[Symbol.asyncDispose]());
const { customer } = await service.addCustomer();

interface Loss {
  readonly name: string;
  readonly at: FaultRule['at'];
  readonly action: FaultAction;
  /** Whether the change was committed. */
  readonly isDone: boolean;
}
const LOSSES: readonly Loss[] = [
  { name: 'cut before', at: 'request', action: 'cut', isDone: false },
  { name: 'reset after', at: 'response', action: 'reset', isDone: true },
  { name: 'silent after', at: 'response', action: 'hang', isDone: true },
  { name: 'SIGKILL after', at: 'response', action: { call: killApi }, isDone: true },
];
let isKilled = false;
function killApi() {
  isKilled = true;
  service.api.kill('SIGKILL');
}

interface Creation {
  readonly path: string;
  readonly body: (name: string) => object;
  /** Returns the number of results of a request. */
  readonly count: (customer: Customer, name: string) => Promise<number>;
}
const countOf = async ({ call }: Customer, path: string, isIt: (row: Record<string, unknown>) => boolean) =>
  (await call(`GET ${path}?limit=100`)).json.data.filter(isIt).length;
const CREATIONS: readonly Creation[] = [
  {
    path: '/api/domains',
    body: (name) => ({ hostname: `${name}.lost.example.com` }),
    count: (by, name) =>
      countOf(by, '/api/domains', ({ hostname }) => hostname === `${name}.lost.example.com`),
  },
  {
    path: '/api/webhooks',
    body: (name) => ({ url: 'http://127.0.0.1:9/', description: name }),
    count: (by, name) => countOf(by, '/api/webhooks', ({ description }) => description === name),
  },
];

/** Undefined if it was lost or failed. */
async function send(creation: Creation, name: string): Promise<ApiAnswer | undefined> {
  const request = { body: creation.body(name), headers: { 'Idempotency-Key': name } };
  const answer = await customer.call(`POST ${creation.path}`, request).catch(() => undefined);
  return answer?.status === 500 ? undefined : answer;
}

/**
 * Returns the name of a request whose answer was lost. If another process commits at that moment, its COMMIT is struck: no answer is lost, or
 * the API is killed before its own COMMIT.
 */
async function loseAnswer(creation: Creation, { at, action, isDone }: Loss): Promise<string> {
  for (;;) {
    const name = `n${randomUUID()}`;
    service.postgres.rule = { at, n: 1, matching: ({ sql }) => sql === 'COMMIT', action };
    const first = await send(creation, name);
    service.postgres.rule = undefined;
    if (isKilled) await service.restartApi();
    isKilled = false;
    if (first === undefined && (await creation.count(customer, name)) === Number(isDone)) return name;
  }
}

const CASES = CREATIONS.flatMap((creation) => LOSSES.map((loss) => ({ ...creation, loss })));
test.each(CASES)('POST $path, COMMIT: $loss.name', { timeout: 120_000 }, async ({ loss, ...creation }) => {
  const name = await loseAnswer(creation, loss);
  const again = await vi.waitFor(async () => {
    const answer = await send(creation, name);
    expect(answer?.status).toBe(201);
    return answer!;
  }, SOON);
  expect(again.headers['idempotency-replayed']).toBe(loss.isDone ? 'true' : undefined);
  expect(await creation.count(customer, name)).toBe(1);
});
