import { beforeEach, expect, test, vi } from 'vitest';
import { emitEvent } from '../../src/features/webhooks/emit-event.ts';
import {
  changeEndpoint,
  deleteEndpoint,
  listEndpoints,
  rotateSecret,
} from '../../src/features/webhooks/endpoint-store.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount } from '../support/accounts.ts';
import { SOON } from '../support/soon.ts';
import { createWebhookFixture } from './webhook-fixture.ts';

const hooks = await createWebhookFixture();
const { database, receiver } = hooks;

beforeEach(async () => {
  await database.query('TRUNCATE webhook_endpoints, webhook_events CASCADE');
  receiver.received.length = 0;
});

test('an account has at most 20, also when 30 are created at once', async () => {
  const created = await Promise.allSettled(Array.from({ length: 30 }, () => hooks.addEndpoint()));
  expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  for (const one of created) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'CONFLICT' });
  }
  await hooks.addEndpoint({ accountId: await addAccount(database) });
});

test('after a rotation the former secret verifies for 24 hours too, by the clock of the database', async () => {
  const endpoint = await hooks.addEndpoint();
  await rotateSecret(database, endpoint.id);
  await hooks.emit();
  await hooks.deliverDue();
  for (const version of [1, 2]) hooks.verify(hooks.secretOf(endpoint, version), receiver.received[0]!);
  await hooks.pass(24 * 3600 + 1);
  await hooks.emit();
  await hooks.deliverDue();
  hooks.verify(hooks.secretOf(endpoint, 2), receiver.received[1]!);
  expect(() => hooks.verify(hooks.secretOf(endpoint, 1), receiver.received[1]!)).toThrow();
  expect((await hooks.read(endpoint)).formerUntil).toBeNull();
});

test('a rotation whose answer is lost is repeated, and the receiver still verifies with the secret that it has', async () => {
  const endpoint = await hooks.addEndpoint();
  for (let i = 0; i < 4; i++) await rotateSecret(database, endpoint.id);
  await expect(rotateSecret(database, endpoint.id)).rejects.toMatchObject({ code: 'CONFLICT' });
  await hooks.emit();
  await hooks.deliverDue();
  const [event] = receiver.received;
  expect(String(event!.headers['webhook-signature']).split(' ')).toHaveLength(5);
  for (const version of [1, 2, 3, 4, 5]) hooks.verify(hooks.secretOf(endpoint, version), event!);
  await hooks.pass(24 * 3600 + 1);
  expect(await rotateSecret(database, endpoint.id)).toMatchObject({ secretVersion: 6 });
});

test('under traffic and rotations, a receiver that takes over each secret when it gets it verifies every event', async () => {
  const endpoint = await hooks.addEndpoint();
  let version = 1;
  let unverifiable = 0;
  receiver.answer = (event, response) => {
    try {
      hooks.verify(hooks.secretOf(endpoint, version), event);
    } catch {
      unverifiable += 1;
    }
    response.writeHead(204).end();
  };
  let isOver = false;
  const traffic = async () => {
    while (!isOver) {
      await hooks.emit();
      await hooks.deliverDue();
    }
  };
  const rotations = async () => {
    for (let day = 0; day < 12; day++) {
      const { secretVersion } = await rotateSecret(database, endpoint.id);
      const before = receiver.received.length;
      // The receiver has the new one only some events later.
      await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(before + 3), SOON);
      version = secretVersion;
      await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(before + 6), SOON);
      await database.query(`UPDATE webhook_endpoints SET former_until = now() - interval '1 second'`);
    }
    isOver = true;
  };
  await Promise.all([traffic(), rotations()]);
  expect(receiver.received.length).toBeGreaterThan(70);
  expect(unverifiable).toBe(0);
});

test('members that are not given stay, and an endpoint that is enabled again begins anew', async () => {
  const endpoint = await hooks.addEndpoint({ eventTypes: ['domain.verified'] });
  const { url } = endpoint;
  expect(await changeEndpoint(database, endpoint.id, { description: 'mine' })).toMatchObject({
    url,
    description: 'mine',
    eventTypes: ['domain.verified'],
    disabledAt: null,
  });
  expect(await changeEndpoint(database, endpoint.id, { eventTypes: null })).toMatchObject({
    description: 'mine',
    eventTypes: null,
  });
  const disabled = await changeEndpoint(database, endpoint.id, { isEnabled: false });
  expect(disabled).toMatchObject({
    disabledAt: expect.any(Date),
    disabledWhy: 'Its owner has switched it off.',
  });
  expect(await changeEndpoint(database, endpoint.id, { isEnabled: false })).toEqual(disabled);
  await database.query(`UPDATE webhook_endpoints SET failing_since = now() - interval '6 days'`);
  expect(await changeEndpoint(database, endpoint.id, { isEnabled: true })).toMatchObject({
    disabledAt: null,
    disabledWhy: null,
  });
  const { rows } = await database.query('SELECT failing_since FROM webhook_endpoints');
  expect(rows).toEqual([{ failing_since: null }]);
  await expect(changeEndpoint(database, 'webhook_none', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a change neither waits for an endpoint that is being deleted, nor fails because of it', async () => {
  const [going, staying] = [await hooks.addEndpoint(), await hooks.addEndpoint()];
  await inTransaction(database, async (deleting) => {
    await deleteEndpoint(deleting, going.id);
    await inTransaction(database, (transaction) =>
      emitEvent(transaction, hooks.account, 'domain.verified', { domainId: 'domain_1', domain: 'a.example' }),
    );
  });
  expect(await hooks.deliveries(staying)).toHaveLength(1);
});

test('an event of a transaction that is rolled back never exists', async () => {
  const endpoint = await hooks.addEndpoint();
  const attempt = inTransaction(database, async (transaction) => {
    await emitEvent(transaction, hooks.account, 'domain.verified', {
      domainId: 'domain_1',
      domain: 'a.example',
    });
    throw new Error('no');
  });
  await expect(attempt).rejects.toThrow('no');
  expect(await hooks.deliveries(endpoint)).toEqual([]);
});

test('with an account go its endpoints, its events and its deliveries', async () => {
  const accountId = await addAccount(database);
  await hooks.addEndpoint({ accountId });
  await hooks.emit(accountId);
  await database.query('DELETE FROM accounts WHERE id = $1', [accountId]);
  expect(await listEndpoints(database, accountId, 10, undefined)).toEqual([]);
  expect((await database.query('SELECT FROM webhook_events')).rowCount).toBe(0);
});
