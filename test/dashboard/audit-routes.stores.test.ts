import { expect, test } from 'vitest';
import { createCursors } from '../../src/core/web/cursors.ts';
import { auditRoutes } from '../../src/edges/dashboard/account-routes.ts';
import { operatorOf } from '../../src/features/accounts/actor.ts';
import { insertAuditEvent } from '../../src/features/accounts/audit-store.ts';
import { openAccounts } from '../../src/features/accounts/open-accounts.ts';
import { newId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount } from '../support/accounts.ts';
import { createKey } from '../support/create-key.ts';
import { addSignedIn } from '../support/people.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startRoutes } from './start-routes.ts';

const { database } = await createTestDatabase();
const accounts = openAccounts({ database, newId });
const cursors = createCursors(new Secret('for tests'));
const call = await startRoutes(database, (signedIn) => [auditRoutes({ accounts, cursors }, signedIn)]);
const AUDIT = 'GET /dashboard/api/audit';
const newPerson = async () => addSignedIn(database, await addAccount(database), 'member', 'Ada');

test('people, keys and the operator are told apart', async () => {
  const person = await newPerson();
  const { accountId } = person;
  const { id: keyId } = await createKey(database, newId, accountId, 'operator');
  const key = { accountId, keyId, session: null, address: '2001:db8::/64' };
  const entry = { action: 'domain.changed', subject: 'a.example', details: { guard: null } } as const;
  for (const actor of [operatorOf(accountId), key, person]) await insertAuditEvent(database, actor, entry);
  const event = (kind: string, name: string, address: string | null) => ({
    ...{ id: expect.stringMatching(/^\d+$/), at: expect.stringMatching(/Z$/) },
    ...{ ...entry, actor: { kind, name }, address },
  });
  expect((await call(person, AUDIT)).json).toEqual({
    success: true,
    data: [
      event('user', 'Ada', '192.0.2.7'),
      event('key', 'operator', '2001:db8::/64'),
      event('operator', 'operator', null),
    ],
    pagination: { hasMore: false },
  });
});

test('pages of 50 have each event once, of all actions or of one, and a cursor fits no other list', async () => {
  const [person, stranger] = [await newPerson(), await newPerson()];
  for (let n = 0; n < 120; n++) {
    const action = n % 2 === 0 ? 'domain.added' : 'domain.deleted';
    for (const { accountId } of [person, stranger]) {
      await insertAuditEvent(database, operatorOf(accountId), { action, subject: `${n} ${accountId}` });
    }
  }
  const pages = async (query: string) => {
    const sizes: number[] = [];
    const subjects: string[] = [];
    let cursor = '';
    for (;;) {
      const { json } = await call(person, `${AUDIT}?${query}${cursor}`);
      sizes.push(json.data.length);
      subjects.push(...json.data.map(({ subject }: { subject: string }) => subject));
      if (!json.pagination.hasMore) return { sizes, subjects };
      cursor = `&cursor=${json.pagination.cursor}`;
    }
  };
  const numbered = (numbers: number[]) => numbers.map((n) => `${n} ${person.accountId}`);
  const all = Array.from({ length: 120 }, (_, n) => 119 - n);
  expect(await pages('')).toEqual({ sizes: [50, 50, 20], subjects: numbered(all) });
  const added = numbered(all.filter((n) => n % 2 === 0));
  expect(await pages('action=domain.added')).toEqual({ sizes: [50, 10], subjects: added });
  expect((await pages('limit=100')).sizes).toEqual([100, 20]);

  const { cursor } = (await call(person, AUDIT)).json.pagination;
  expect((await call(stranger, `${AUDIT}?cursor=${cursor}`)).status).toBe(400);
  expect((await call(person, `${AUDIT}?action=domain.added&cursor=${cursor}`)).status).toBe(400);
  expect((await call(undefined, `${AUDIT}?cursor=${cursor}`)).status).toBe(401);
});

test.each([
  ['action=', 400],
  ['action=domain', 400],
  ["action=domain.added'--", 400],
  ['action=domain.added&action=domain.added', 400],
  ['action=constructor', 400],
  ['limit=0', 400],
  ['cursor=1', 400],
  ['accountId=account_1', 422],
])('%s is refused', async (query, status) => {
  expect((await call(await newPerson(), `${AUDIT}?${query}`)).status).toBe(status);
});
