import { expect, test } from 'vitest';
import { deleteAccountRow, setSuspended } from '../../src/features/accounts/account-store.ts';
import { admitIdentity } from '../../src/features/accounts/admit-identity.ts';
import { holdCaller } from '../../src/features/accounts/hold-caller.ts';
import { endSessionsOfProvider } from '../../src/features/accounts/logout-store.ts';
import { newToken } from '../../src/features/accounts/secret-token.ts';
import {
  deleteOldSessions,
  endAllSessions,
  endOldestSessions,
  endSession,
  endSessionOfToken,
  findSession,
  findSessionEnd,
  findSessions,
  listSessions,
  switchAccount,
} from '../../src/features/accounts/session-store.ts';
import { addMember, describeUser } from '../../src/features/accounts/user-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount } from '../support/accounts.ts';
import { addIdentity, addSession, addUser } from '../support/people.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const inNewAccount = async (role: 'owner' | 'member' = 'owner') => {
  const accountId = await addAccount(database, 'pro');
  return { accountId, userId: await addUser(database, accountId, { role }) };
};
const seenAt = async (id: string) =>
  (await database.query('SELECT last_seen_at::text FROM sessions WHERE id = $1', [id])).rows[0].last_seen_at;
const age = (id: string, interval: string, column = 'last_seen_at') =>
  database.query(`UPDATE sessions SET ${column} = ${column} - $2::interval WHERE id = $1`, [id, interval]);

test('a session is found by its token, with what routes need of its person', async () => {
  const person = await inNewAccount('member');
  const { id, token } = await addSession(database, person);
  const { accountId, userId } = person;
  expect(await findSession(database, token)).toEqual({
    ...{ accountId, session: { id, userId }, role: 'member', plan: 'pro', isSuspended: false },
  });
  await setSuspended(database, accountId, true);
  expect(await findSession(database, token)).toMatchObject({ isSuspended: true });
  expect(await findSession(database, newToken())).toBeUndefined();
  const { rows } = await database.query('SELECT row_to_json(s)::text AS row FROM sessions s WHERE id = $1', [
    id,
  ]);
  expect(rows[0].row).not.toContain(token);
});

test('a sign-in begins in the account that was used last, also after a sign-out', async () => {
  const older = await inNewAccount();
  const { userId } = older;
  const other = await addAccount(database, 'pro');
  await addMember(database, { accountId: other, userId, role: 'member' });
  await addIdentity(database, userId);
  const identity = { issuer: 'https://id.example.net', subject: userId, email: null };
  const signIn = { identity, name: 'Ann', invitation: undefined, address: null };
  const accountOfSignIn = () =>
    inTransaction(
      database,
      async (transaction) => (await admitIdentity(transaction, newId, signIn)).accountId,
    );
  expect(await accountOfSignIn()).toBe(older.accountId);
  const { id, token } = await addSession(database, older);
  expect(await switchAccount(database, { id, userId }, other)).toBe(true);
  await endSessionOfToken(database, token);
  expect(await accountOfSignIn()).toBe(other);
  const back = await addSession(database, older);
  await endSessionOfToken(database, back.token);
  expect(await accountOfSignIn()).toBe(older.accountId);
  const { issuer } = identity;
  await addSession(database, { userId, accountId: other, issuer, subject: userId });
  const logout = { issuer, jti: newToken(), expiresAt: new Date(Date.now() + 60_000), sid: null };
  expect(await endSessionsOfProvider(database, { ...logout, subject: userId })).toBe(true);
  expect(await listSessions(database, userId)).toEqual([]);
  expect(await accountOfSignIn()).toBe(other);
});

test('its use is recorded at most once a minute', async () => {
  const { id, token } = await addSession(database, await inNewAccount());
  const begun = await seenAt(id);
  await findSession(database, token);
  expect(await seenAt(id)).toBe(begun);
  await age(id, '2 minutes');
  const before = await seenAt(id);
  await findSession(database, token);
  expect(await seenAt(id)).not.toBe(before);
});

test('many at once are found as each of them alone, and their uses are recorded', async () => {
  const people = await Promise.all([inNewAccount(), inNewAccount('member'), inNewAccount()]);
  const sessions = await Promise.all(people.map((person) => addSession(database, person)));
  const [used, other, over] = sessions.map(({ id }) => id) as [string, string, string];
  await age(used, '2 minutes');
  await age(over, '8 days', 'expires_at');
  const before = await Promise.all([used, other].map(seenAt));
  const tokens = [...sessions, sessions[0]!].map(({ token }) => token);
  const given = [newToken(), ...tokens.toReversed()];
  const found = await findSessions(database, given);
  const owner = (n: number, role: string) => {
    const session = { id: sessions[n]!.id, userId: people[n]!.userId };
    return { accountId: people[n]!.accountId, session, role, plan: 'pro', isSuspended: false };
  };
  const [first, second] = [owner(0, 'owner'), owner(1, 'member')];
  expect(found).toEqual([undefined, first, undefined, second, first]);
  expect(await seenAt(used)).not.toBe(before[0]);
  expect(await seenAt(other)).toBe(before[1]);
});

test('a session that a publication holds is found without waiting, and ends after it', async () => {
  const person = await inNewAccount();
  const { id, token } = await addSession(database, person);
  await age(id, '2 minutes');
  const { accountId, userId } = person;
  const actor = { accountId, keyId: null, session: { id, userId }, address: null };
  let ending: Promise<boolean> | undefined;
  await inTransaction(database, async (transaction) => {
    await holdCaller(transaction, actor);
    expect(await findSession(database, token)).toBeDefined();
    ending = endSession(database, userId, id);
    expect(await findSession(database, token)).toBeDefined();
  });
  expect(await ending).toBe(true);
  expect(await findSession(database, token)).toBeUndefined();
  await expect(
    inTransaction(database, (transaction) => holdCaller(transaction, actor)),
  ).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    message: expect.stringContaining('session'),
  });
});

test.each([
  ['12 hours without use', 'last_seen_at', '12 hours 1 second'],
  ['7 days, however much it was used', 'expires_at', '7 days 1 second'],
])('it ends after %s', async (_, column, interval) => {
  const person = await inNewAccount();
  const { id, token } = await addSession(database, person);
  await age(id, interval, column);
  expect(await findSession(database, token)).toBeUndefined();
  expect(await listSessions(database, person.userId)).toEqual([]);
  const kept = await addSession(database, person);
  await deleteOldSessions(database);
  const { rows } = await database.query('SELECT id FROM sessions WHERE user_id = $1', [person.userId]);
  expect(rows).toEqual([{ id: kept.id }]);
});

test('sessions that another request is ending are left to it', async () => {
  const person = await inNewAccount();
  const [first, second] = [await addSession(database, person), await addSession(database, person)];
  for (const { id } of [first, second]) await age(id, '13 hours');
  await inTransaction(database, async (transaction) => {
    await endSessionOfToken(transaction, second.token);
    await deleteOldSessions(database);
    // A wait of the sweep here is a deadlock: it has the first session by then.
    expect(await endSessionOfToken(transaction, first.token)).toBeUndefined();
  });
  const many: string[] = [];
  for (let n = 0; n < 52; n++) many.push((await addSession(database, person)).id);
  for (const [n, id] of many.entries()) await age(id, `${60 - n} minutes`, 'created_at');
  await inTransaction(database, async (transaction) => {
    await transaction.query('SELECT FROM sessions WHERE id = $1 FOR SHARE', [many[1]]);
    await endOldestSessions(database, person.userId);
    const { rows } = await transaction.query('SELECT id FROM sessions WHERE user_id = $1', [person.userId]);
    expect(rows.map(({ id }) => id).sort()).toEqual(many.slice(1).sort());
  });
});

test('it says when it ends if it is not used', async () => {
  const { id } = await addSession(database, await inNewAccount());
  const unused = (await findSessionEnd(database, id))!.getTime() - Date.now();
  expect(Math.abs(unused - 12 * 3_600_000)).toBeLessThan(600_000);
  await age(id, '6 days 23 hours', 'expires_at');
  const soon = (await findSessionEnd(database, id))!.getTime() - Date.now();
  expect(Math.abs(soon - 3_600_000)).toBeLessThan(600_000);
});

test.each([
  ['user', async ({ userId }: Subject) => database.query('DELETE FROM users WHERE id = $1', [userId])],
  [
    'membership',
    async ({ userId }: Subject) => database.query('DELETE FROM members WHERE user_id = $1', [userId]),
  ],
  [
    'identity',
    async ({ userId }: Subject) => database.query('DELETE FROM identities WHERE user_id = $1', [userId]),
  ],
  [
    'account',
    async ({ accountId }: Subject) => inTransaction(database, (tx) => deleteAccountRow(tx, accountId)),
  ],
])('it is gone at once with its %s', async (_, remove) => {
  const person = await inNewAccount();
  await addIdentity(database, person.userId);
  const identity = { issuer: 'https://id.example.net', subject: person.userId };
  const { token } = await addSession(database, { ...person, ...identity });
  await remove(person);
  expect(await findSession(database, token)).toBeUndefined();
  // No new session begins either.
  await expect(addSession(database, { ...person, ...identity })).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  });
});

interface Subject {
  readonly userId: string;
  readonly accountId: string;
}

test('a person ends own sessions: one, all, the one of a token', async () => {
  const [person, stranger] = [await inNewAccount(), await inNewAccount()];
  const sessions = [];
  for (let n = 0; n < 4; n++) sessions.push(await addSession(database, person));
  const [first, second] = sessions;
  const other = await addSession(database, stranger);
  expect((await listSessions(database, person.userId)).map(({ id }) => id)).toEqual(
    sessions.map(({ id }) => id).toReversed(),
  );
  expect(await endSession(database, person.userId, first!.id)).toBe(true);
  expect(await endSession(database, person.userId, first!.id)).toBe(false);
  expect(await endSession(database, person.userId, other.id)).toBe(false);
  expect(await endSessionOfToken(database, second!.token)).toMatchObject({ id: second!.id, idToken: null });
  expect(await endSessionOfToken(database, second!.token)).toBeUndefined();
  await endAllSessions(database, person.userId);
  expect(await listSessions(database, person.userId)).toEqual([]);
  expect(await findSession(database, other.token)).toBeDefined();
});

test('a person has at most 50: the oldest end', async () => {
  const [person, stranger] = [await inNewAccount(), await inNewAccount()];
  const kept = await addSession(database, stranger);
  const tokens: string[] = [];
  for (let n = 0; n < 52; n++) tokens.push((await addSession(database, person)).token);
  await endOldestSessions(database, person.userId);
  const found = await Promise.all(tokens.map((token) => findSession(database, token)));
  expect(found.map((session) => session !== undefined)).toEqual([false, false, ...Array(50).fill(true)]);
  expect(await findSession(database, kept.token)).toBeDefined();
});

test('it moves to another account of its person only, and an upload that began before may end', async () => {
  const [person, stranger] = [await inNewAccount(), await inNewAccount()];
  const { id, token } = await addSession(database, person);
  const session = { id, userId: person.userId };
  expect(await switchAccount(database, session, stranger.accountId)).toBe(false);
  const second = await addAccount(database, 'free');
  await database.query("INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'member')", [
    second,
    person.userId,
  ]);
  expect(await switchAccount(database, session, second)).toBe(true);
  expect(await findSession(database, token)).toMatchObject({
    accountId: second,
    role: 'member',
    plan: 'free',
  });
  const former = { accountId: person.accountId, keyId: null, session, address: null };
  const hold = (accountId: string) =>
    inTransaction(database, (transaction) => holdCaller(transaction, { ...former, accountId }));
  await hold(person.accountId);
  await expect(hold(stranger.accountId)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  const { accounts } = (await describeUser(database, person.userId))!;
  expect(accounts).toEqual([
    { id: person.accountId, name: 'Test', role: 'owner' },
    { id: second, name: 'Test', role: 'member' },
  ]);
});
