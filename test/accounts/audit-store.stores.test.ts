import { expect, test } from 'vitest';
import { operatorOf } from '../../src/features/accounts/actor.ts';
import {
  deleteOldAuditEvents,
  insertAuditEvent,
  listAuditEvents,
} from '../../src/features/accounts/audit-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount } from '../support/accounts.ts';
import { createKey } from '../support/create-key.ts';
import { addSignedIn, auditEventsOf } from '../support/people.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const ADDED = { action: 'domain.added', subject: 'a.example' } as const;

test('an event names its actor, and keeps the name when the actor is gone', async () => {
  const accountId = await addAccount(database);
  const person = await addSignedIn(database, accountId, 'owner', 'Grace');
  const { id: keyId } = await createKey(database, newId, accountId, 'deploy');
  const key = { accountId, keyId, session: null, address: '2001:db8::/64' };
  for (const actor of [person, key, operatorOf(accountId)]) await insertAuditEvent(database, actor, ADDED);
  await database.query('DELETE FROM users WHERE id = $1', [person.session.userId]);
  await database.query('DELETE FROM api_keys WHERE id = $1', [keyId]);
  const events = await listAuditEvents(database, { accountId, action: undefined }, 10, undefined);
  expect(events.map(({ id: _id, at: _at, ...event }) => event)).toEqual([
    { ...ADDED, details: {}, userId: null, keyId: null, actorName: 'operator', address: null },
    { ...ADDED, details: {}, userId: null, keyId, actorName: 'deploy', address: '2001:db8::/64' },
    {
      ...ADDED,
      details: {},
      userId: person.session.userId,
      keyId: null,
      actorName: 'Grace',
      address: '192.0.2.7',
    },
  ]);
});

test('whoever is gone already is never taken for the operator', async () => {
  const accountId = await addAccount(database);
  const nobody = { accountId, keyId: null, session: { id: 'session_x', userId: 'user_x' }, address: null };
  await insertAuditEvent(database, nobody, ADDED);
  await insertAuditEvent(database, { ...nobody, session: null, keyId: 'key_x' }, ADDED);
  expect((await auditEventsOf(database, accountId)).map(({ actorName }) => actorName)).toEqual([
    'user_x',
    'key_x',
  ]);
});

test('an account that is gone has no log, and fails nothing', async () => {
  const accountId = await addAccount(database);
  await insertAuditEvent(database, operatorOf(accountId), ADDED);
  await database.query('DELETE FROM accounts WHERE id = $1', [accountId]);
  await insertAuditEvent(database, operatorOf(accountId), ADDED);
  expect(await auditEventsOf(database, accountId)).toEqual([]);
});

test('a list has the newest events of one account, of all actions or of one', async () => {
  const [accountId, other] = [await addAccount(database), await addAccount(database)];
  for (let n = 0; n < 7; n++) {
    const action = n % 2 === 0 ? 'domain.added' : 'domain.deleted';
    await insertAuditEvent(database, operatorOf(accountId), { action, subject: `${n}` });
    await insertAuditEvent(database, operatorOf(other), { action, subject: 'of another' });
  }
  const subjects = async (action: 'domain.added' | undefined, limit: number, before?: number) =>
    (await listAuditEvents(database, { accountId, action }, limit, before)).map(({ subject }) => subject);
  expect(await subjects(undefined, 3)).toEqual(['6', '5', '4']);
  const [, , third] = await listAuditEvents(database, { accountId, action: undefined }, 3, undefined);
  expect(await subjects(undefined, 3, third!.id)).toEqual(['3', '2', '1']);
  expect(await subjects('domain.added', 10)).toEqual(['6', '4', '2', '0']);
  expect(await subjects('domain.added', 10, third!.id)).toEqual(['2', '0']);
});

test('events go after 400 days, however many, and no others', async () => {
  const accountId = await addAccount(database);
  await database.query(
    `INSERT INTO audit_events (account_id, at, action, subject, actor_name)
     SELECT $1, now() - interval '400 days' - n * interval '1 second', 'domain.added', 'old', 'x'
       FROM generate_series(1, 10001) n`,
    [accountId],
  );
  await database.query(
    `INSERT INTO audit_events (account_id, at, action, subject, actor_name)
     VALUES ($1, now() - interval '399 days', 'domain.added', 'kept', 'x')`,
    [accountId],
  );
  await Promise.all([deleteOldAuditEvents(database), deleteOldAuditEvents(database)]);
  expect(await auditEventsOf(database, accountId)).toMatchObject([{ subject: 'kept' }]);
});

test('each account keeps its newest events only', async () => {
  const [full, other] = [await addAccount(database), await addAccount(database)];
  for (let n = 0; n < 7; n++) {
    await insertAuditEvent(database, operatorOf(full), { action: 'domain.added', subject: `${n}` });
    if (n < 3)
      await insertAuditEvent(database, operatorOf(other), { action: 'domain.added', subject: `${n}` });
  }
  const subjects = async (id: string) => (await auditEventsOf(database, id)).map(({ subject }) => subject);
  await deleteOldAuditEvents(database, 5);
  expect(await subjects(full)).toEqual(['2', '3', '4', '5', '6']);
  expect(await subjects(other)).toEqual(['0', '1', '2']);
});
