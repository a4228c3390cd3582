import { expect, test, vi } from 'vitest';
import type { PersonActor } from '../../src/features/accounts/actor.ts';
import { beginWithLinked } from '../../src/features/accounts/begin-session.ts';
import { lockIdentity } from '../../src/features/accounts/identity-store.ts';
import { unlinkIdentity } from '../../src/features/accounts/link-identity.ts';
import { newToken } from '../../src/features/accounts/secret-token.ts';
import { endAllSessions } from '../../src/features/accounts/session-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount } from '../support/accounts.ts';
import { addIdentity, addSession, addSignedIn, addUser } from '../support/people.ts';
import { soon } from '../support/soon.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';

const { database } = await createTestDatabase();

test('whoever has lost the session while the request came removes no identity', async () => {
  const person = await addSignedIn(database, await addAccount(database));
  const { userId } = person.session;
  for (const subject of ['first', 'second']) await addIdentity(database, userId, subject);
  const remove = (subject: string) =>
    unlinkIdentity(database, person, { issuer: 'https://id.example.net', subject }, () => true);
  const left = async () =>
    (await database.query('SELECT subject FROM identities WHERE user_id = $1 ORDER BY subject', [userId]))
      .rows;
  await endAllSessions(database, userId);
  await expect(remove('first')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(await left()).toEqual([{ subject: 'first' }, { subject: 'second' }]);
});

test('a person who links an identity and unlinks that of the session at once gets one answer after the other', async () => {
  const issuer = 'https://id.example.net';
  const accountId = await addAccount(database);
  const userId = await addUser(database, accountId);
  for (const subject of ['of the session', 'another']) await addIdentity(database, userId, subject);
  const session = await addSession(database, { accountId, userId, issuer, subject: 'of the session' });
  const person: PersonActor = {
    ...{ accountId, keyId: null, address: null },
    session: { id: session.id, userId },
  };
  const identity = { issuer, subject: 'new', email: null };
  let isOver = false;
  const linking = Promise.withResolvers<unknown>();
  const unlinking = Promise.withResolvers<unknown>();
  await inTransaction(database, async (transaction) => {
    await lockIdentity(transaction, identity);
    beginWithLinked({ database, newId }, person, identity, {
      ...{ token: newToken(), formerToken: session.token, sealIdToken: () => null, sid: null },
      ...{ issuer, subject: 'new', authenticatedAt: new Date(), userAgent: null, address: null },
    }).then(linking.resolve, linking.reject);
    await untilStatementWaits(database, 'pg_advisory_xact_lock');
    const { promise } = unlinking;
    promise.finally(() => {
      isOver = true;
    });
    unlinkIdentity(database, person, { issuer, subject: 'of the session' }, () => true).then(
      unlinking.resolve,
      unlinking.reject,
    );
    await vi.waitUntil(async () => isOver || (await countWaiting()) > 1, soon('the end of the unlinking'));
  });
  await expect(unlinking.promise).resolves.toBeUndefined();
  await expect(linking.promise).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

async function countWaiting(): Promise<number> {
  const { rowCount } = await database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount!;
}

test('a person who unlinks an identity and signs out everywhere at once does both', async () => {
  const issuer = 'https://id.example.net';
  const accountId = await addAccount(database);
  const userId = await addUser(database, accountId);
  for (const subject of ['removed', 'kept']) await addIdentity(database, userId, subject);
  await addSession(database, { accountId, userId, issuer, subject: 'removed' });
  const { id } = await addSession(database, { accountId, userId, issuer, subject: 'kept' });
  const person: PersonActor = { accountId, keyId: null, address: null, session: { id, userId } };
  const [unlinking, ending] = await inTransaction(database, async (transaction) => {
    // The unlinking has its own session by then.
    await transaction.query(`SELECT FROM identities WHERE subject = 'removed' FOR UPDATE`);
    const unlinked = unlinkIdentity(database, person, { issuer, subject: 'removed' }, () => true);
    await untilStatementWaits(database, 'DELETE FROM identities');
    const ended = endAllSessions(database, userId);
    await vi.waitUntil(async () => (await countWaiting()) > 1, soon('the end of all sessions'));
    return [Promise.allSettled([unlinked]), Promise.allSettled([ended])];
  });
  expect([await unlinking, await ending].flat()).toMatchObject([
    { status: 'fulfilled' },
    { status: 'fulfilled' },
  ]);
});
