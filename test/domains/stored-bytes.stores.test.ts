/** The stored bytes of accounts, as triggers count them. */
import { expect, test } from 'vitest';
import { findStoredBytes } from '../../src/features/domains/domain-counts-store.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();

const setBytes = (id: string, bytes: number) =>
  database.query('UPDATE domains SET stored_bytes = $2 WHERE id = $1', [id, bytes]);

async function accountWithBytes(each: readonly number[]) {
  const id = await addAccount(database);
  const domains = [];
  for (const bytes of each) {
    const domain = await addVerifiedDomain(database, id);
    await setBytes(domain.id, bytes);
    domains.push(domain.id);
  }
  // As before the migration: only the domains have bytes.
  await database.query('DELETE FROM account_bytes WHERE account_id = $1', [id]);
  return { id, domains };
}

const bytesOf = async (id: string) => (await findStoredBytes(database, [id])).get(id);

test('what changed before the first call is counted once', async () => {
  const { id, domains } = await accountWithBytes([5, 7, 11]);
  await setBytes(domains[0]!, 2);
  await database.query('DELETE FROM domains WHERE id = $1', [domains[1]]);
  expect(await bytesOf(id)).toBe(13);
  await setBytes(domains[0]!, 3);
  await database.query('DELETE FROM domains WHERE id = $1', [domains[2]]);
  expect(await bytesOf(id)).toBe(3);
});

test('several accounts at once: an account without domains has none', async () => {
  const one = await accountWithBytes([5, 7]);
  const none = await accountWithBytes([]);
  expect(await bytesOf(one.id)).toBe(12);
  const both = await findStoredBytes(database, [none.id, one.id]);
  expect(both).toEqual(
    new Map([
      [one.id, 12],
      [none.id, 0],
    ]),
  );
});

test('changes, deletions and first calls at once add up', async () => {
  for (let round = 0; round < 20; round++) {
    const { id, domains } = await accountWithBytes(Array.from({ length: 12 }, (_, n) => n + 1));
    const found = () => findStoredBytes(database, [id]);
    await Promise.all(
      domains.flatMap((domain, n) =>
        n % 3 === 0
          ? [database.query('DELETE FROM domains WHERE id = $1', [domain]), found()]
          : [setBytes(domain, 100 * n), found(), setBytes(domain, 10 * n)],
      ),
    );
    const { rows } = await database.query(
      'SELECT sum(stored_bytes)::bigint AS bytes FROM domains WHERE account_id = $1',
      [id],
    );
    expect(await bytesOf(id)).toBe(rows[0].bytes);
  }
});

test('an account goes away with its domains by one statement', async () => {
  const { id } = await accountWithBytes([5, 7]);
  await database.query('DELETE FROM accounts WHERE id = $1', [id]);
  expect((await database.query('SELECT FROM account_bytes WHERE account_id = $1', [id])).rowCount).toBe(0);
});
