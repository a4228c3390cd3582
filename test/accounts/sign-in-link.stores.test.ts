import { expect, test } from 'vitest';
import { beginWithLink } from '../../src/features/accounts/begin-session.ts';
import { createSignInLink } from '../../src/features/accounts/create-sign-in-link.ts';
import { redeemSignInLink } from '../../src/features/accounts/link-store.ts';
import { deleteMember, lockMember } from '../../src/features/accounts/member-store.ts';
import { hashToken, newToken } from '../../src/features/accounts/secret-token.ts';
import { deleteOldSessions } from '../../src/features/accounts/session-store.ts';
import { addMember } from '../../src/features/accounts/user-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount } from '../support/accounts.ts';
import { addIdentity, addSession, addUser } from '../support/people.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';

const { database } = await createTestDatabase();
const ORIGIN = 'https://api.example.net';

async function tokenFor(accountId: string): Promise<string> {
  const link = new URL((await createSignInLink({ database, newId }, accountId, ORIGIN))!);
  expect(link.href).toBe(`${ORIGIN}/dashboard/sign-in${link.hash}`);
  return link.hash.slice(1);
}

const age = (token: string, interval: string) =>
  database.query('UPDATE sign_in_links SET expires_at = expires_at - $2::interval WHERE token_hash = $1', [
    hashToken(token),
    interval,
  ]);

test('of many who use a link at once, one gets in', async () => {
  const accountId = await addAccount(database);
  const token = await tokenFor(accountId);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, () => redeemSignInLink(database, token)),
  );
  const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  expect(won.map(({ value }) => value)).toEqual([{ accountId, userId: expect.stringMatching(/^user_/) }]);
  for (const lost of outcomes.filter((outcome) => outcome.status === 'rejected')) {
    expect(lost.reason).toMatchObject({ code: 'NOT_FOUND', options: { details: { reason: 'used' } } });
  }
});

test('a link older than ten minutes is too old, for a day', async () => {
  const token = await tokenFor(await addAccount(database));
  await age(token, '10 minutes');
  await deleteOldSessions(database);
  await expect(redeemSignInLink(database, token)).rejects.toMatchObject({
    options: { details: { reason: 'too_old' } },
  });
  const older = await tokenFor(await addAccount(database));
  await age(older, '1 day 11 minutes');
  await deleteOldSessions(database);
  await expect(redeemSignInLink(database, older)).rejects.toMatchObject({
    options: { details: { reason: 'used' } },
  });
});

test('an invitation is no sign-in link, and the database has no token', async () => {
  const accountId = await addAccount(database);
  const [invitation, token] = [newToken(), await tokenFor(accountId)];
  await database.query(
    "INSERT INTO sign_in_links (token_hash, kind, account_id, role, expires_at) VALUES ($1, 'invitation', $2, 'owner', now() + '1 day')",
    [hashToken(invitation), accountId],
  );
  await expect(redeemSignInLink(database, invitation)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { rows } = await database.query(
    'SELECT string_agg(row_to_json(l)::text, $1) AS text FROM sign_in_links l',
    [' '],
  );
  expect(rows[0].text).not.toContain(token);
});

test('links are for one owner of their own, never for a person who signs in with a provider', async () => {
  const accountId = await addAccount(database);
  const person = await addUser(database, accountId);
  await addIdentity(database, person);
  await addUser(database, accountId, { role: 'member' });
  const tokens = await Promise.all([tokenFor(accountId), tokenFor(accountId), tokenFor(accountId)]);
  const users = [];
  for (const token of tokens) users.push((await redeemSignInLink(database, token)).userId);
  expect(new Set(users).size).toBe(1);
  expect(users).not.toContain(person);
  const { rows } = await database.query(
    "SELECT user_id FROM members WHERE account_id = $1 AND role = 'owner' ORDER BY created_at",
    [accountId],
  );
  expect(rows.map(({ user_id }) => user_id)).toEqual([person, users[0]]);
});

test('a link never signs in the person of a link of another account, who joined this one', async () => {
  const [home, other] = [await addAccount(database), await addAccount(database)];
  const guest = (await redeemSignInLink(database, await tokenFor(home))).userId;
  const own = (await redeemSignInLink(database, await tokenFor(other))).userId;
  await addMember(database, { accountId: other, userId: guest, role: 'owner' });
  // The owner of the other account leaves, so that the guest is its oldest owner.
  await database.query('DELETE FROM members WHERE account_id = $1 AND user_id = $2', [other, own]);
  const { userId } = await redeemSignInLink(database, await tokenFor(other));
  expect([guest, own]).not.toContain(userId);
  expect((await redeemSignInLink(database, await tokenFor(home))).userId).toBe(guest);
});

test('there is no link to an account that does not exist', async () => {
  expect(await createSignInLink({ database, newId }, newId('account'), ORIGIN)).toBeUndefined();
});

test('whoever is removed while they sign in again is not signed in, and neither request waits for the other', async () => {
  const accountId = await addAccount(database);
  const { userId } = await redeemSignInLink(database, await tokenFor(accountId));
  await addUser(database, accountId);
  const former = await addSession(database, { accountId, userId });
  const token = await tokenFor(accountId);
  const { began } = await inTransaction(database, async (transaction) => {
    // As a removal does. It deletes the former session only later.
    await lockMember(transaction, accountId, userId);
    const beginning = beginWithLink({ database, newId }, token, {
      ...{ token: newToken(), formerToken: former.token, sealIdToken: () => null, sid: null, issuer: null },
      ...{ subject: null, authenticatedAt: new Date(), userAgent: null, address: null },
    });
    beginning.catch(() => {});
    await untilStatementWaits(database, 'FROM users');
    await deleteMember(transaction, accountId, userId);
    return { began: beginning };
  });
  await expect(began).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
