/** The name of an account, as its owners change it. */
import { expect, test } from 'vitest';
import { accountRoutes } from '../../src/edges/dashboard/account-routes.ts';
import { findAccount } from '../../src/features/accounts/account-store.ts';
import { openAccounts } from '../../src/features/accounts/open-accounts.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount } from '../support/accounts.ts';
import { addSignedIn, auditEventsOf } from '../support/people.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startRoutes } from './start-routes.ts';

const { database } = await createTestDatabase();
const accounts = openAccounts({ database, newId });
const call = await startRoutes(database, (signedIn) => [
  accountRoutes({ accounts, maxBodyBytes: 1000 }, signedIn),
]);
const accountId = await addAccount(database);
const owner = await addSignedIn(database, accountId, 'owner', 'Ada');
const member = await addSignedIn(database, accountId, 'member', 'Grace');
const nameNow = async () => (await findAccount(database, accountId))?.name;
const renamed = async () =>
  (await auditEventsOf(database, accountId)).filter(({ action }) => action === 'account.renamed');

test('an owner names the account, and the log has both names; the same name again leaves no trace', async () => {
  const former = await nameNow();
  for (let time = 1; time <= 2; time++) {
    const { status, json } = await call(owner, 'PATCH /dashboard/api/account', { name: 'Acme Ltd' });
    expect([status, json.data]).toEqual([200, { id: accountId, name: 'Acme Ltd' }]);
  }
  expect(await nameNow()).toBe('Acme Ltd');
  expect(await renamed()).toMatchObject([
    { subject: 'Acme Ltd', details: { from: former, to: 'Acme Ltd' }, actorName: 'Ada' },
  ]);
});

test('a member is refused, and so is a name that cannot be shown', async () => {
  const before = await nameNow();
  expect((await call(member, 'PATCH /dashboard/api/account', { name: 'Mine' })).status).toBe(403);
  for (const body of [{}, { name: '' }, { name: 'x'.repeat(101) }, { name: 'a\nb' }, { name: 7 }]) {
    const { status, json } = await call(owner, 'PATCH /dashboard/api/account', body);
    expect([status, json.error.details.field]).toEqual([422, 'name']);
  }
  expect((await call(owner, 'PATCH /dashboard/api/account', { plan: 'business' })).status).toBe(422);
  expect(await nameNow()).toBe(before);
});
