import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findAccount, listAccounts, setSuspended } from '../../src/features/accounts/account-store.ts';
import type { Actor } from '../../src/features/accounts/actor.ts';
import { COMMAND_LINE } from '../../src/features/accounts/actor.ts';
import { newApiKey } from '../../src/features/accounts/api-key.ts';
import { changeAccount } from '../../src/features/accounts/change-account.ts';
import { createAccount } from '../../src/features/accounts/create-account.ts';
import { holdCaller } from '../../src/features/accounts/hold-caller.ts';
import { findCaller, findCallers, listKeys, revokeKey } from '../../src/features/accounts/key-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { lookUpInGroups } from '../../src/platform/postgres/in-groups.ts';
import { createKey } from '../support/create-key.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';

const { database } = await createTestDatabase();

async function newKey() {
  const accountId = await createAccount(database, newId, 'Test', 'pro');
  const created = await createKey(database, newId, accountId, 'deploy');
  return { accountId, ...created! };
}

const lastUse = async (id: string) =>
  (await database.query('SELECT last_used_at AS at FROM api_keys WHERE id = $1', [id])).rows[0]
    .at as Date | null;

test('a key leads to its account and plan', async () => {
  const { accountId, id, key } = await newKey();
  expect(await findCaller(database, key)).toEqual({
    accountId,
    keyId: id,
    plan: 'pro',
    isSuspended: false,
    scope: null,
  });
});

test('a change of plan applies from the next request on', async () => {
  const { accountId, key } = await newKey();
  await changeAccount(database, COMMAND_LINE, accountId, { plan: 'free' });
  expect(await findCaller(database, key)).toMatchObject({ plan: 'free' });
});

test('an unknown key leads nowhere', async () => {
  expect(await findCaller(database, newApiKey())).toBeUndefined();
  expect(await findCaller(database, '')).toBeUndefined();
});

test('a revoked key leads nowhere, and keeps the time of its revocation', async () => {
  const { accountId, id, key } = await newKey();
  expect(await revokeKey(database, id)).toBe(accountId);
  expect(await findCaller(database, key)).toBeUndefined();
  const [{ revokedAt } = { revokedAt: null }] = await listKeys(database, accountId, 10);
  expect(revokedAt).toBeInstanceOf(Date);
  expect(await revokeKey(database, id)).toBe(accountId);
  expect(await listKeys(database, accountId, 10)).toMatchObject([{ revokedAt }]);
  expect(await revokeKey(database, 'key_none')).toBeUndefined();
});

test('an expired key leads nowhere', async () => {
  const { id, key } = await newKey();
  const expireIn = (interval: string) =>
    database.query('UPDATE api_keys SET expires_at = now() + $2::interval WHERE id = $1', [id, interval]);
  await expireIn('1 hour');
  expect(await findCaller(database, key)).toBeDefined();
  await expireIn('-1 second');
  expect(await findCaller(database, key)).toBeUndefined();
});

test('the use of a key is recorded at most once a minute', async () => {
  const { id, key } = await newKey();
  expect(await lastUse(id)).toBeNull();
  await findCaller(database, key);
  const first = await lastUse(id);
  expect(first).toBeInstanceOf(Date);
  await findCaller(database, key);
  expect(await lastUse(id)).toEqual(first);
  await database.query("UPDATE api_keys SET last_used_at = now() - interval '61 seconds' WHERE id = $1", [
    id,
  ]);
  await findCaller(database, key);
  expect((await lastUse(id))!.getTime()).toBeGreaterThanOrEqual(first!.getTime());
});

test('the key itself is nowhere in the database', async () => {
  const { key } = await newKey();
  const { rows } = await database.query('SELECT k::text AS row FROM api_keys k');
  expect(
    rows.filter(({ row }) => row.includes(key) || row.includes(Buffer.from(key).toString('hex'))),
  ).toEqual([]);
});

test('a list has name, prefix and times, and only the keys of one account', async () => {
  const { accountId, id, key } = await newKey();
  await newKey();
  const expiresAt = new Date('9999-01-01T00:00:00Z');
  const second = await createKey(database, newId, accountId, 'second', { expiresAt });
  expect(await listKeys(database, accountId, 10)).toEqual([
    {
      id,
      name: 'deploy',
      prefix: 'sk_live_',
      lastFour: key.slice(-4),
      state: 'valid',
      createdAt: expect.any(Date),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      creator: null,
      endsWithCreator: false,
      scope: null,
      hostnames: null,
      position: expect.any(String),
    },
    expect.objectContaining({ id: second!.id, name: 'second', expiresAt }),
  ]);
  const setTimes = (times: string) => database.query(`UPDATE api_keys SET ${times} WHERE id = $1`, [id]);
  const stateOfFirst = async () => (await listKeys(database, accountId, 10))[0]!.state;
  await setTimes('expires_at = now(), last_four = NULL');
  expect(await stateOfFirst()).toBe('expired');
  expect((await listKeys(database, accountId, 10))[0]).toMatchObject({ lastFour: null });
  await setTimes('revoked_at = now()');
  expect(await stateOfFirst()).toBe('revoked');
});

test('accounts are listed in the order of their creation', async () => {
  const id = await createAccount(database, newId, 'Acme', 'starter');
  const account = { id, ref: null, name: 'Acme', plan: 'starter', suspendedAt: null };
  expect(await findAccount(database, id)).toEqual({ ...account, createdAt: expect.any(Date) });
  const all = await listAccounts(database, 1000);
  expect(all.at(-1)).toMatchObject(account);
  const pages = [];
  for (let page = await listAccounts(database, 2); page.length > 0; ) {
    pages.push(...page);
    page = await listAccounts(database, 2, page.at(-1)!.position);
  }
  expect(pages).toEqual(all);
});

test('a key of a suspended account leads to it and has the suspension', async () => {
  const { accountId, key } = await newKey();
  const suspended = await setSuspended(database, accountId, true);
  expect(suspended).toMatchObject({ id: accountId, suspendedAt: expect.any(Date) });
  expect(await findCaller(database, key)).toMatchObject({ accountId, isSuspended: true });
  expect(await setSuspended(database, accountId, true)).toEqual(suspended);
  expect(await setSuspended(database, accountId, false)).toMatchObject({ suspendedAt: null });
  expect(await findCaller(database, key)).toMatchObject({ isSuspended: false });
  expect(await setSuspended(database, 'account_none', true)).toBeUndefined();
});

describe('many keys at once', () => {
  test('lead where each of them leads alone', async () => {
    const [valid, other, revoked, expired, suspended] = await Promise.all([1, 2, 3, 4, 5].map(newKey));
    await revokeKey(database, revoked!.id);
    await database.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [expired!.id]);
    await setSuspended(database, suspended!.accountId, true);
    const ownerOf = ({ accountId, id: keyId }: { accountId: string; id: string }, isSuspended = false) => {
      return { accountId, keyId, plan: 'pro', isSuspended, scope: null };
    };
    const wanted = new Map<string, unknown>([
      [valid!.key, ownerOf(valid!)],
      [other!.key, ownerOf(other!)],
      [suspended!.key, ownerOf(suspended!, true)],
      ...[revoked!.key, expired!.key, newApiKey(), ''].map((key) => [key, undefined] as const),
    ]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...wanted.keys())), async (keys) => {
        expect(await findCallers(database, keys)).toEqual(keys.map((key) => wanted.get(key)));
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('have their uses recorded, without waiting for those that others hold', async () => {
    const keys = await Promise.all([1, 2, 3].map(newKey));
    const [held, ...free] = keys as [(typeof keys)[0], ...typeof keys];
    await inTransaction(database, async (transaction) => {
      await holdCaller(transaction, keyOf(held.accountId, held.id));
      const found = await findCallers(
        database,
        keys.map(({ key }) => key),
      );
      expect(found.map((owner) => owner?.keyId)).toEqual(keys.map(({ id }) => id));
    });
    expect(await lastUse(held.id)).toBeNull();
    for (const { id } of free) expect(await lastUse(id)).toBeInstanceOf(Date);
  });

  test('a key that is revoked while a group is under way is refused by the next one', async () => {
    const { id, key } = await newKey();
    const find = lookUpInGroups(database, (asked: string) => asked, findCallers);
    const before = find(key);
    await revokeKey(database, id);
    const after = find(key);
    await before;
    expect(await after).toBeUndefined();
  });
});

describe('holding a caller', () => {
  const hold = (accountId: string, keyId: string) =>
    inTransaction(database, (transaction) => holdCaller(transaction, keyOf(accountId, keyId)));

  test('succeeds only while its key is valid', async () => {
    const { accountId, id } = await newKey();
    await hold(accountId, id);
    const { accountId: other } = await newKey();
    for (const [account, key] of [
      [accountId, 'key_none'],
      ['account_none', id],
      [other, id],
    ]) {
      await expect(hold(account!, key!)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    }
    await database.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [id]);
    await expect(hold(accountId, id)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await database.query('UPDATE api_keys SET expires_at = NULL WHERE id = $1', [id]);
    await revokeKey(database, id);
    await expect(hold(accountId, id)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('fails for a suspended account, and makes a suspension wait', async () => {
    const { accountId, id } = await newKey();
    let suspending: Promise<unknown> | undefined;
    await inTransaction(database, async (transaction) => {
      await holdCaller(transaction, keyOf(accountId, id));
      suspending = setSuspended(database, accountId, true);
      await untilStatementWaits(database, 'SET suspended_at');
    });
    await suspending;
    await expect(hold(accountId, id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await setSuspended(database, accountId, false);
    await hold(accountId, id);
  });

  test('makes a revocation wait, and no other requests with the key', async () => {
    const { accountId, id, key } = await newKey();
    const order: string[] = [];
    let revoking: Promise<unknown> | undefined;
    await inTransaction(database, async (transaction) => {
      await holdCaller(transaction, keyOf(accountId, id));
      expect(await findCaller(database, key)).toMatchObject({ keyId: id });
      revoking = revokeKey(database, id).then(() => order.push('revoked'));
      await untilStatementWaits(database, 'SET revoked_at');
      order.push('held');
    });
    await revoking;
    expect(order).toEqual(['held', 'revoked']);
  });

  test('fails if an earlier revocation commits in the meantime', async () => {
    const { accountId, id } = await newKey();
    let held: Promise<void> | undefined;
    await inTransaction(database, async (transaction) => {
      await revokeKey(transaction, id);
      held = hold(accountId, id);
      held.catch(() => {});
      await untilStatementWaits(database, 'FOR SHARE');
    });
    await expect(held).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

function keyOf(accountId: string, keyId: string): Actor {
  return { accountId, keyId, session: null, address: null };
}
