/** 1,000 endpoints, of which 300 hang: others do not notice. The measured times are printed. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { startWorkingOff } from '../../src/core/jobs/start-working-off.ts';
import { createDeliveryQueue } from '../../src/features/webhooks/delivery-queue.ts';
import { addAccount } from '../support/accounts.ts';
import { SOON } from '../support/soon.ts';
import { createWebhookFixture } from './webhook-fixture.ts';

const hooks = await createWebhookFixture();
const { database, receiver } = hooks;

const ACCOUNTS = 50;
const PER_ACCOUNT = 20;
const HANGING = 300;
/** As in production. */
const AT_ONCE = 400;

test('an event for a healthy endpoint arrives while 300 of 1,000 hang', async () => {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => addAccount(database)));
  for (const accountId of accounts) {
    await Promise.all(Array.from({ length: PER_ACCOUNT }, () => hooks.addEndpoint({ accountId })));
  }
  const { rows } = await database.query('SELECT id FROM webhook_endpoints ORDER BY md5(id)');
  const hanging = new Set(rows.slice(0, HANGING).map(({ id }) => `/${id}`));
  const arrived = new Map<string, number>();
  let hangs = 0;
  receiver.answer = ({ path }, response) => {
    arrived.set(path, performance.now());
    if (hanging.has(path)) hangs += 1;
    else response.writeHead(204).end();
  };
  // On a busy machine the test takes longer than a delivery may hang.
  const options = { ...hooks.options, ask: hooks.within(2 * SOON.timeout) };
  const queue = createDeliveryQueue(options, AT_ONCE);
  const working = startWorkingOff(queue, { log: hooks.log });
  onTestFinished(() => working.stop());

  const startedAt = performance.now();
  await Promise.all(accounts.map((accountId) => hooks.emit(accountId)));
  await vi.waitFor(() => expect(arrived.size).toBe(rows.length), SOON);
  const healthy = [...arrived].filter(([path]) => !hanging.has(path)).map(([, at]) => at - startedAt);
  console.log(`700 healthy of 1,000 at once: the last after ${Math.round(Math.max(...healthy))} ms`);
  expect(hangs).toBe(HANGING);

  const [{ id, account_id: accountId }] = (
    await database.query('SELECT id, account_id FROM webhook_endpoints WHERE id = $1', [rows.at(-1).id])
  ).rows;
  arrived.clear();
  const emittedAt = performance.now();
  await hooks.emit(accountId);
  await vi.waitFor(() => expect(arrived.has(`/${id}`)).toBe(true), SOON);
  console.log(`one more, while ${hangs} hang: after ${Math.round(arrived.get(`/${id}`)! - emittedAt)} ms`);
  // The hanging deliveries still hang, so this one came past them.
  expect(await receiver.connections()).toBeGreaterThanOrEqual(HANGING);
});
