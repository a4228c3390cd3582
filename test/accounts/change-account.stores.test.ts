/** Accounts that an operator makes and changes, also when two operators ask at once. */
import { expect, test } from 'vitest';
import {
  type AccountFilter,
  deleteAccountRow,
  findAccount,
  listAccounts,
} from '../../src/features/accounts/account-store.ts';
import { COMMAND_LINE, type Operator } from '../../src/features/accounts/actor.ts';
import {
  changeAccount,
  putAccount,
  putAccountIn,
  registerAccount,
} from '../../src/features/accounts/change-account.ts';
import { createAccount } from '../../src/features/accounts/create-account.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { auditEventsOf } from '../support/people.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const options = { database, newId };
const TOKEN: Operator = { token: 'ci', address: '192.0.2.7' };
const wanted = { name: 'Acme', plan: 'pro' } as const;

test('each change stands in the log of the account once, with the name of the token', async () => {
  const { id } = await registerAccount(options, TOKEN, { ...wanted, ref: 'log-1' });
  for (let time = 1; time <= 2; time++) {
    await changeAccount(database, COMMAND_LINE, id, { plan: 'free' });
    await changeAccount(database, TOKEN, id, { name: 'Acme Inc.', ref: null, isSuspended: true });
  }
  const suspended = await findAccount(database, id);
  expect(suspended).toMatchObject({
    name: 'Acme Inc.',
    ref: null,
    plan: 'free',
    suspendedAt: expect.any(Date),
  });
  expect(await changeAccount(database, TOKEN, id, { isSuspended: true })).toEqual(suspended);
  expect(await changeAccount(database, TOKEN, id, { isSuspended: false })).toMatchObject({
    suspendedAt: null,
  });
  const events = (await auditEventsOf(database, id)).map(({ action, actorName, address, details }) => [
    ...[action, actorName, address, details],
  ]);
  const token = ['operator token ci', '192.0.2.7'];
  expect(events).toEqual([
    ['account.created', ...token, { plan: 'pro', ref: 'log-1' }],
    ['account.plan_changed', 'operator', null, { from: 'pro', to: 'free' }],
    ['account.changed', ...token, { fields: ['name', 'ref'] }],
    ['account.suspended', ...token, {}],
    ['account.resumed', ...token, {}],
  ]);
  expect(await changeAccount(database, TOKEN, 'account_none', { plan: 'pro' })).toBeUndefined();
});

test('a ref that moves to another account meanwhile changes only the account that has it now', async () => {
  const former = await registerAccount(options, TOKEN, { ...wanted, ref: 'moved-1' });
  await changeAccount(database, TOKEN, former.id, { ref: null });
  const next = await registerAccount(options, TOKEN, { ...wanted, ref: 'moved-1' });
  const put = await inTransaction(database, (transaction) =>
    putAccountIn(transaction, newId, TOKEN, {
      ...{ ref: 'moved-1', found: former },
      wanted: { name: 'Other', plan: 'free', isSuspended: true },
    }),
  );
  expect(put).toMatchObject({ isNew: false, account: { id: next.id, name: 'Other', plan: 'free' } });
  expect(await findAccount(database, former.id)).toMatchObject({ ...wanted, ref: null, suspendedAt: null });
});

test('a ref is of one account', async () => {
  const [first, second] = [
    await registerAccount(options, TOKEN, { ...wanted, ref: 'taken-1' }),
    await registerAccount(options, TOKEN, wanted),
  ];
  const conflict = { code: 'CONFLICT', message: 'Another account has the ref taken-1.' };
  await expect(registerAccount(options, TOKEN, { ...wanted, ref: 'taken-1' })).rejects.toMatchObject(
    conflict,
  );
  await expect(changeAccount(database, TOKEN, second.id, { ref: 'taken-1' })).rejects.toMatchObject(conflict);
  // A refused change leaves nothing.
  expect(await findAccount(database, second.id)).toMatchObject({ ref: null });
  expect(await changeAccount(database, TOKEN, first.id, { ref: 'taken-1' })).toMatchObject({
    ref: 'taken-1',
  });
});

test('of calls that put the same ref at once, one creates the account, and all see it', async () => {
  for (const round of [1, 2, 3]) {
    const ref = `race-${round}`;
    const accounts = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        putAccount(options, TOKEN, ref, { name: `Acme ${n}`, plan: n % 2 === 0 ? 'pro' : 'free' }),
      ),
    );
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(1);
    const events = await auditEventsOf(database, accounts[0]!.id);
    expect(events.filter(({ action }) => action === 'account.created')).toHaveLength(1);
    const changes = events.flatMap(({ action, details }) =>
      action === 'account.plan_changed' ? [details] : [],
    );
    expect(changes.slice(1).map(({ from }) => from)).toEqual(changes.slice(0, -1).map(({ to }) => to));
    const last = await findAccount(database, accounts[0]!.id);
    expect(accounts.map(({ name }) => name).sort()).toEqual(Array.from({ length: 8 }, (_, n) => `Acme ${n}`));
    expect(accounts.find(({ name }) => name === last!.name)).toEqual(last);
  }
});

test('put beside a deletion gives an account that is there, or makes a new one', async () => {
  const before = await putAccount(options, TOKEN, 'gone-1', wanted);
  const [after] = await Promise.all([
    putAccount(options, TOKEN, 'gone-1', { ...wanted, name: 'New', isSuspended: true }),
    inTransaction(database, (transaction) => deleteAccountRow(transaction, before.id)),
  ]);
  expect(after).toMatchObject({ name: 'New', ref: 'gone-1', suspendedAt: expect.any(Date) });
  if (after.id !== before.id) expect(await findAccount(database, after.id)).toEqual(after);
  expect(await findAccount(database, before.id)).toBeUndefined();
});

test('lists go on after an account that was deleted meanwhile, and filters hold on each page', async () => {
  const ids = [];
  for (const plan of ['starter', 'starter', 'business', 'starter'] as const) {
    ids.push(await createAccount(database, newId, 'Listed', plan));
  }
  await changeAccount(database, TOKEN, ids[3]!, { isSuspended: true });
  const [first, second] = await listAccounts(database, 2, undefined, { plan: 'starter' });
  expect([first!.id, second!.id]).toEqual(ids.slice(0, 2));
  await inTransaction(database, (transaction) => deleteAccountRow(transaction, first!.id));
  const idsOf = async (limit: number, after: string, filter: AccountFilter) =>
    (await listAccounts(database, limit, after, filter)).map(({ id }) => id);
  expect(await idsOf(2, first!.position, { plan: 'starter' })).toEqual([ids[1], ids[3]]);
  expect(await idsOf(9, first!.position, { plan: 'starter', isSuspended: false })).toEqual([ids[1]]);
  expect(await idsOf(9, first!.position, { isSuspended: true })).toEqual([ids[3]]);
  expect(await idsOf(9, second!.position, {})).toEqual(ids.slice(2));
});
