import { describe, expect, test } from 'vitest';
import { setSuspended } from '../../src/features/accounts/account-store.ts';
import { operatorOf } from '../../src/features/accounts/actor.ts';
import { createKeyAs, revokeKeyAs } from '../../src/features/accounts/change-keys.ts';
import { countKeys, findCaller, listUsefulKeys } from '../../src/features/accounts/key-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount } from '../support/accounts.ts';
import { addSignedIn, auditEventsOf } from '../support/people.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const using = { database, newId };
const wanted = (name: string, expiresAt: Date | null = null) => ({ name, expiresAt });

async function newPerson() {
  return addSignedIn(database, await addAccount(database));
}

test('a key of a person works, and the log says who created it, without the key', async () => {
  const person = await newPerson();
  const expiresAt = new Date('2999-01-01T00:00:00Z');
  const { key, ...created } = await createKeyAs(using, person, wanted('deploy', expiresAt));
  expect(await findCaller(database, key)).toMatchObject({ accountId: person.accountId, keyId: created.id });
  expect(created).toMatchObject({ name: 'deploy', state: 'valid', lastFour: key.slice(-4), expiresAt });
  const events = await auditEventsOf(database, person.accountId);
  expect(events).toEqual([
    {
      action: 'key.created',
      subject: 'deploy',
      details: { keyId: created.id, expiresAt: '2999-01-01T00:00:00.000Z' },
      ...{ userId: person.session.userId, keyId: null, actorName: 'Ada', address: '192.0.2.7' },
    },
  ]);
  expect(JSON.stringify(events)).not.toContain(key.slice(8));
});

test('a revoked key is refused at once, and is revoked once', async () => {
  const person = await newPerson();
  const { key, id } = await createKeyAs(using, person, wanted('old'));
  const [first, second] = await Promise.all([1, 2].map(() => revokeKeyAs(database, person, id)));
  expect(await findCaller(database, key)).toBeUndefined();
  expect(first).toMatchObject({ state: 'revoked', revokedAt: expect.any(Date) });
  expect(second).toEqual(first);
  const actions = (await auditEventsOf(database, person.accountId)).map(({ action }) => action);
  expect(actions).toEqual(['key.created', 'key.revoked']);
});

test("another account's key is not found, and stays valid", async () => {
  const [person, stranger] = [await newPerson(), await newPerson()];
  const { key, id } = await createKeyAs(using, person, wanted('mine'));
  await expect(revokeKeyAs(database, stranger, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(revokeKeyAs(database, stranger, 'key_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await findCaller(database, key)).toBeDefined();
  expect(await auditEventsOf(database, stranger.accountId)).toEqual([]);
});

describe('an account has at most 100 valid keys', () => {
  test('of 130 creations at once exactly 100 succeed; revoked and expired keys make room', async () => {
    const person = await newPerson();
    const attempts = await Promise.allSettled(
      Array.from({ length: 130 }, (_, n) => createKeyAs(using, person, wanted(`key ${n}`))),
    );
    const created = attempts.filter((attempt) => attempt.status === 'fulfilled');
    expect(created).toHaveLength(100);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject({ code: 'CONFLICT' });
    }
    await revokeKeyAs(database, person, created[0]!.value.id);
    await database.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [created[1]!.value.id]);
    await createKeyAs(using, person, wanted('one more'));
    await createKeyAs(using, person, wanted('and another'));
    await expect(createKeyAs(using, person, wanted('too many'))).rejects.toMatchObject({ code: 'CONFLICT' });

    await createKeyAs(using, operatorOf(person.accountId), wanted('of the operator'));
    expect(await countKeys(database, person.accountId)).toEqual({ valid: 101, ofToday: 103 });
    const listed = await listUsefulKeys(database, person.accountId, 500);
    expect(listed[0]!.name).toBe('of the operator');
    expect(listed.slice(0, 101).every(({ state }) => state === 'valid')).toBe(true);
    expect(
      listed
        .slice(101)
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['expired', 'revoked']);
    expect(await listUsefulKeys(database, person.accountId, 3)).toEqual(listed.slice(0, 3));
  });
});

test('an account makes at most 1,000 keys in 24 hours', async () => {
  const person = await newPerson();
  await database.query(
    `INSERT INTO api_keys (id, account_id, name, prefix, key_hash, created_at, revoked_at)
     SELECT 'key_' || $1 || n, $1, 'x', 'sk_live_', sha256(($1 || n)::bytea), now() - interval '23 hours', now()
       FROM generate_series(1, 1000) n`,
    [person.accountId],
  );
  await expect(createKeyAs(using, person, wanted('x'))).rejects.toMatchObject({ code: 'CONFLICT' });
  await database.query(
    `UPDATE api_keys SET created_at = now() - interval '25 hours' WHERE id = 'key_' || $1 || '7'`,
    [person.accountId],
  );
  await createKeyAs(using, person, wanted('x'));
});

test('a person whose session has ended, or who was removed, creates and revokes nothing', async () => {
  const person = await newPerson();
  const { id, key } = await createKeyAs(using, person, wanted('first'));
  await database.query('UPDATE sessions SET expires_at = now() WHERE id = $1', [person.session.id]);
  await expect(createKeyAs(using, person, wanted('x'))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  await database.query('DELETE FROM members WHERE user_id = $1', [person.session.userId]);
  await expect(createKeyAs(using, person, wanted('x'))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  await expect(revokeKeyAs(database, person, id)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(await findCaller(database, key)).toBeDefined();
});

test('in a suspended account only the operator creates and revokes keys', async () => {
  const person = await newPerson();
  const { id } = await createKeyAs(using, person, wanted('first'));
  await setSuspended(database, person.accountId, true);
  await expect(createKeyAs(using, person, wanted('x'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await revokeKeyAs(database, operatorOf(person.accountId), id)).toMatchObject({ state: 'revoked' });
  expect((await auditEventsOf(database, person.accountId)).at(-1)).toMatchObject({
    ...{ action: 'key.revoked', actorName: 'operator', userId: null, keyId: null, address: null },
  });
});
