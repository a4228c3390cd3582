import { describe, expect, test } from 'vitest';
import type { PersonActor } from '../../src/features/accounts/actor.ts';
import { COMMAND_LINE } from '../../src/features/accounts/actor.ts';
import {
  invite,
  inviteForOperator,
  MAX_MEMBERS,
  revokeInvitation,
} from '../../src/features/accounts/change-invitations.ts';
import { changeRole, removeMember } from '../../src/features/accounts/change-members.ts';
import { listOpenInvitations } from '../../src/features/accounts/invitation-store.ts';
import { countMembers, listMembers } from '../../src/features/accounts/member-store.ts';
import type { Role } from '../../src/features/accounts/role.ts';
import { endAllSessions } from '../../src/features/accounts/session-store.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount } from '../support/accounts.ts';
import { addSignedIn, auditEventsOf, openSession } from '../support/people.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';

const { database } = await createTestDatabase();

async function team(...roles: Role[]) {
  const accountId = await addAccount(database);
  const people: PersonActor[] = [];
  for (const [n, role] of roles.entries())
    people.push(await addSignedIn(database, accountId, role, `Person ${n}`));
  return { accountId, people };
}
const idOf = ({ session }: PersonActor) => session.userId;
const rolesOf = async (accountId: string) =>
  Object.fromEntries((await listMembers(database, accountId)).map(({ userId, role }) => [userId, role]));
const sessionsOf = async (person: PersonActor) =>
  (await database.query('SELECT id FROM sessions WHERE user_id = $1', [idOf(person)])).rowCount;

test('an owner changes a role, once, and the log has both', async () => {
  const { accountId, people } = await team('owner', 'member');
  const [owner, member] = people as [PersonActor, PersonActor];
  expect(await changeRole(database, owner, idOf(member), 'owner')).toMatchObject({ role: 'owner' });
  expect(await changeRole(database, owner, idOf(member), 'owner')).toMatchObject({ role: 'owner' });
  expect(await auditEventsOf(database, accountId)).toEqual([
    {
      action: 'member.role_changed',
      subject: 'Person 1',
      details: { userId: idOf(member), from: 'member', to: 'owner' },
      ...{ userId: idOf(owner), keyId: null, actorName: 'Person 0', address: '192.0.2.7' },
    },
  ]);
});

test('a member changes nobody, not even their own role, and may leave', async () => {
  const { accountId, people } = await team('owner', 'member');
  const [owner, member] = people as [PersonActor, PersonActor];
  for (const attempt of [
    () => changeRole(database, member, idOf(member), 'owner'),
    () => changeRole(database, member, idOf(owner), 'member'),
    () => removeMember(database, member, idOf(owner)),
    () => invite(database, member, { role: 'owner', note: null }),
    () => revokeInvitation(database, member, '0123456789abcdef'),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
  await removeMember(database, member, idOf(member));
  expect(await rolesOf(accountId)).toEqual({ [idOf(owner)]: 'owner' });
  expect(await auditEventsOf(database, accountId)).toMatchObject([
    { action: 'member.removed', subject: 'Person 1', details: { left: true }, actorName: 'Person 1' },
  ]);
});

test('with a member go all their sessions in this account, and none in another', async () => {
  const { accountId, people } = await team('owner', 'member');
  const [owner, member] = people as [PersonActor, PersonActor];
  await openSession(database, accountId, idOf(member));
  const elsewhere = await addAccount(database);
  await database.query("INSERT INTO members (account_id, user_id, role) VALUES ($1, $2, 'owner')", [
    elsewhere,
    idOf(member),
  ]);
  const other = await openSession(database, elsewhere, idOf(member));
  expect(await sessionsOf(member)).toBe(3);
  await removeMember(database, owner, idOf(member));
  const { rows } = await database.query('SELECT id FROM sessions WHERE user_id = $1', [idOf(member)]);
  expect(rows).toEqual([{ id: other.session.id }]);
  await expect(changeRole(database, member, idOf(owner), 'member')).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  });
});

test('a person who leaves and signs out everywhere at once does both', async () => {
  const { accountId, people } = await team('owner', 'owner');
  const [owner, person] = people as [PersonActor, PersonActor];
  const another = await openSession(database, accountId, idOf(person));
  const outcomes = await inTransaction(database, async (transaction) => {
    // The removal has the session of its caller by then.
    await transaction.query('SELECT FROM members WHERE user_id = $1 FOR KEY SHARE', [idOf(person)]);
    const removed = removeMember(database, another, idOf(person));
    await untilStatementWaits(database, 'DELETE FROM members');
    const ended = endAllSessions(database, idOf(person));
    await untilStatementWaits(database, '', 2);
    return [Promise.allSettled([removed, ended])];
  });
  expect(await outcomes[0]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
  expect(await rolesOf(accountId)).toEqual({ [idOf(owner)]: 'owner' });
});

test('whoever is no owner any more loses the invitations that they made, and others keep theirs', async () => {
  const { accountId, people } = await team('owner', 'owner', 'owner');
  const [owner, demoted, removed] = people as [PersonActor, PersonActor, PersonActor];
  const made: string[] = [];
  for (const person of people) {
    made.push((await invite(database, person, { role: 'owner', note: null })).id);
  }
  const openOnes = async () => (await listOpenInvitations(database, accountId)).map(({ id }) => id).sort();
  expect(await openOnes()).toEqual([...made].sort());
  await changeRole(database, owner, idOf(demoted), 'member');
  expect(await openOnes()).toEqual([made[0]!, made[2]!].sort());
  await removeMember(database, owner, idOf(removed));
  expect(await openOnes()).toEqual([made[0]]);
  expect((await auditEventsOf(database, accountId)).slice(-2)).toMatchObject([
    { action: 'member.role_changed', details: { revokedInvitations: 1 } },
    { action: 'member.removed', details: { revokedInvitations: 1 } },
  ]);
});

test('members of other accounts, and unknown ones, are not found', async () => {
  const { people } = await team('owner');
  const { accountId, people: others } = await team('owner', 'owner');
  for (const userId of [idOf(others[1]!), 'user_none', '', "' OR true --"]) {
    await expect(changeRole(database, people[0]!, userId, 'member')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(removeMember(database, people[0]!, userId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  expect(await countMembers(database, accountId)).toEqual({ all: 2, owners: 2 });
});

describe('the last owner', () => {
  test('neither leaves nor becomes a member', async () => {
    const { accountId, people } = await team('owner', 'member');
    const owner = people[0]!;
    await expect(removeMember(database, owner, idOf(owner))).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(changeRole(database, owner, idOf(owner), 'member')).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await countMembers(database, accountId)).toEqual({ all: 2, owners: 1 });
    expect(await auditEventsOf(database, accountId)).toEqual([]);
  });

  const races: Record<string, (one: PersonActor, other: PersonActor) => Promise<unknown>> = {
    'both leave': (one) => removeMember(database, one, idOf(one)),
    'both become members': (one) => changeRole(database, one, idOf(one), 'member'),
    'each removes the other': (one, other) => removeMember(database, one, idOf(other)),
    'each demotes the other': (one, other) => changeRole(database, one, idOf(other), 'member'),
  };
  test.each(Object.keys(races))('stays when of two owners at once %s', async (name) => {
    for (let round = 0; round < 10; round++) {
      const { accountId, people } = await team('owner', 'owner');
      const [one, other] = people as [PersonActor, PersonActor];
      const ends = await Promise.allSettled([races[name]!(one, other), races[name]!(other, one)]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const reason = ends.find((end) => end.status === 'rejected')!.reason;
      expect(['CONFLICT', 'FORBIDDEN', 'UNAUTHORIZED']).toContain(reason.code);
      expect((await countMembers(database, accountId)).owners).toBe(1);
      expect(await auditEventsOf(database, accountId)).toHaveLength(1);
    }
  });
});

describe('invitations', () => {
  test('are listed without their token, newest first, until they are revoked or too old', async () => {
    const { accountId, people } = await team('owner');
    const owner = people[0]!;
    const first = await invite(database, owner, { role: 'member', note: 'Grace' });
    const second = await invite(database, owner, { role: 'owner', note: null });
    const listed = await listOpenInvitations(database, accountId);
    expect(listed).toEqual([second, first].map(({ token: _, ...shown }) => shown));
    expect(JSON.stringify([listed, await auditEventsOf(database, accountId)])).not.toContain(first.token);
    await revokeInvitation(database, owner, listed[0]!.id);
    await expect(revokeInvitation(database, owner, listed[0]!.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await database.query('UPDATE sign_in_links SET expires_at = now()');
    expect(await listOpenInvitations(database, accountId)).toEqual([]);
    await expect(revokeInvitation(database, owner, listed[1]!.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const events = await auditEventsOf(database, accountId);
    expect(events).toMatchObject([
      { action: 'member.invited', subject: 'Grace', details: { role: 'member' } },
      { action: 'member.invited', subject: '', details: { role: 'owner' } },
      { action: 'invitation.revoked', subject: '', details: { invitationId: listed[0]!.id } },
    ]);
  });

  test("another account's, and one-time links to sign in, are not found", async () => {
    const { people } = await team('owner');
    const { accountId, people: others } = await team('owner');
    const { id: ofOther } = await invite(database, others[0]!, { role: 'member', note: null });
    await database.query(
      `INSERT INTO sign_in_links (token_hash, kind, account_id, user_id, expires_at)
       VALUES ($1, 'sign_in', $2, $3, now() + interval '1 minute')`,
      [Buffer.alloc(32, 7), people[0]!.accountId, idOf(people[0]!)],
    );
    for (const id of [ofOther, '0707070707070707', '%', '']) {
      await expect(revokeInvitation(database, people[0]!, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await listOpenInvitations(database, people[0]!.accountId)).toEqual([]);
    expect(await listOpenInvitations(database, accountId)).toHaveLength(1);
  });

  test.each(['owners', 'operators'])('of 70 at once by %s exactly 50 are made', async (who) => {
    const { accountId, people } = await team('owner', 'owner');
    const inviteOne = (n: number) =>
      who === 'owners'
        ? invite(database, people[n % 2]!, { role: 'member', note: null })
        : inviteForOperator(database, COMMAND_LINE, accountId, 'member');
    const attempts = await Promise.allSettled(Array.from({ length: 70 }, (_, n) => inviteOne(n)));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(await listOpenInvitations(database, accountId)).toHaveLength(50);
  });

  test('are refused when the account is full, and an open one takes a place', async () => {
    const { accountId, people } = await team('owner');
    await database.query(
      `INSERT INTO users (id, name) SELECT 'user_full' || n, 'x' FROM generate_series(2, $1) n`,
      [MAX_MEMBERS],
    );
    await database.query(
      `INSERT INTO members (account_id, user_id, role)
       SELECT $1, id, 'member' FROM users WHERE id LIKE 'user_full%'`,
      [accountId],
    );
    await expect(invite(database, people[0]!, { role: 'member', note: null })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await removeMember(database, people[0]!, 'user_full2');
    await invite(database, people[0]!, { role: 'member', note: null });
    await expect(invite(database, people[0]!, { role: 'member', note: null })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    const operatorInvites = (id: string) => inviteForOperator(database, COMMAND_LINE, id, 'owner');
    await expect(operatorInvites(accountId)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(operatorInvites('account_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
