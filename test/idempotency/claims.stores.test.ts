import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { deleteAccountRow } from '../../src/features/accounts/account-store.ts';
import { deleteOldClaims } from '../../src/features/idempotency/claim-store.ts';
import {
  type Claims,
  createClaims,
  type FormerAnswer,
  type HeldClaim,
} from '../../src/features/idempotency/claims.ts';
import { parseRequestKey, requestIdOf } from '../../src/features/idempotency/request-key.ts';
import { inTransaction, whileIdle } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { SOON } from '../support/soon.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { untilStatementWaits } from '../support/until-statement-waits.ts';

const { database } = await createTestDatabase();
const secret = new Secret('for tests');
const claimsWith = (leaseMs?: number, ofOthers = secret) =>
  createClaims({ database, secret: ofOthers, log: collectLog(), ...(leaseMs && { leaseMs }) });
/** Like two processes. */
const [first, second] = [claimsWith(), claimsWith()];
const accountId = await addAccount(database);
const ANSWER = { status: 200, text: '{"success":true}', digest: Buffer.from('digest'), bodyBytes: 5 };

async function hold(claims: Claims, request: string, account = accountId): Promise<HeldClaim> {
  const taken = await claims.take(account, request);
  if (taken === 'under way' || 'open' in taken) throw new Error('the key is taken');
  return taken;
}
async function answerTo(claims: Claims, request: string, account = accountId): Promise<FormerAnswer> {
  const taken = await claims.take(account, request);
  if (taken === 'under way' || !('open' in taken)) throw new Error('the key has no answer');
  return taken;
}
/** The process dies: it does not renew its lease, nor free the key. */
const die = (claim: HeldClaim) => claim[Symbol.dispose]();
const passTime = (hours: number) =>
  database.query(`UPDATE idempotency_claims SET expires_at = expires_at - $1 * interval '1 hour'`, [hours]);
const countClaims = async (account: string) =>
  (await database.query('SELECT FROM idempotency_claims WHERE account_id = $1', [account])).rowCount;

test('a key is under way for all others until it is answered, and then has its answer for a day', async () => {
  const request = randomUUID();
  using claim = await hold(first, request);
  for (const claims of [first, second]) expect(await claims.take(accountId, request)).toBe('under way');
  expect(await claim.record(database, ANSWER)).toBe(true);
  for (const claims of [first, second]) {
    const { open, ...answer } = await answerTo(claims, request);
    expect({ ...answer, text: open() }).toEqual(ANSWER);
  }
  await passTime(23.9);
  await answerTo(second, request);
  await passTime(0.2);
  using _ = await hold(second, request);
});

test('a key is free when its request frees it, and an answer stays', async () => {
  const [refused, answered] = [randomUUID(), randomUUID()];
  await (await hold(first, refused)).free(1000);
  using _ = await hold(second, refused);
  const claim = await hold(first, answered);
  await claim.record(database, ANSWER);
  await claim.free(1000);
  await answerTo(second, answered);
});

test('an answer can be replaced by its own request only', async () => {
  const request = randomUUID();
  using claim = await hold(first, request);
  await claim.record(database, ANSWER);
  await claim.record(database, { ...ANSWER, text: '{"more":1}' });
  expect((await answerTo(second, request)).open()).toBe('{"more":1}');
});

test('exactly one of many at the same instant gets the key, each time', async () => {
  for (let round = 0; round < 20; round++) {
    const request = randomUUID();
    const takes = Array.from({ length: 16 }, (_, n) => (n % 2 ? first : second).take(accountId, request));
    const taken = (await Promise.all(takes)).filter((claim) => claim !== 'under way');
    expect(taken).toHaveLength(1);
    die(taken[0] as HeldClaim);
  }
});

test('the key of a dead process is free after its lease, and its request can no longer record', async () => {
  const request = randomUUID();
  const dead = await hold(first, request);
  die(dead);
  expect(await second.take(accountId, request)).toBe('under way');
  await database.query('UPDATE idempotency_claims SET expires_at = now() WHERE request = $1', [request]);
  using heir = await hold(second, request);
  expect(await dead.record(database, ANSWER)).toBe(false);
  await dead.free(1000);
  expect(await first.take(accountId, request)).toBe('under way');
  expect(await heir.record(database, ANSWER)).toBe(true);
});

test('a key whose process died while the clock was ahead is free, and an answer from then stays', async () => {
  const [dead, answered] = [randomUUID(), randomUUID()];
  die(await hold(first, dead));
  using claim = await hold(first, answered);
  await claim.record(database, ANSWER);
  await passTime(-365 * 24);
  expect(await first.find(accountId, dead)).toBeUndefined();
  die(await hold(second, dead));
  expect((await answerTo(second, answered)).open()).toBe(ANSWER.text);
  await passTime(365 * 24);
});

test('a lease is renewed as long as its request lasts', async () => {
  const request = randomUUID();
  const shortly = claimsWith(400);
  using claim = await hold(shortly, request);
  const expiry = async () => {
    const { rows } = await database.query('SELECT expires_at FROM idempotency_claims WHERE request = $1', [
      request,
    ]);
    return rows[0].expires_at.getTime();
  };
  const begun = await expiry();
  await vi.waitFor(async () => expect(await expiry()).toBeGreaterThan(begun + 1000), SOON);
  die(claim);
  await vi.waitFor(async () => {
    using _ = await hold(second, request);
  }, SOON);
});

test('while a transaction records the answer, others hear "under way" at once, and renewals do not wait', async () => {
  const request = randomUUID();
  const shortly = claimsWith(200);
  using claim = await hold(shortly, request);
  using other = await hold(shortly, `${request} 2`);
  await inTransaction(database, async (transaction) => {
    await claim.record(transaction, ANSWER);
    expect(await second.take(accountId, request)).toBe('under way');
    const leaseOf = async () => {
      const found = await database.query(
        'SELECT expires_at AS at FROM idempotency_claims WHERE request = $1',
        [`${request} 2`],
      );
      return found.rows[0].at.getTime();
    };
    const begun = await leaseOf();
    await whileIdle(transaction, () =>
      vi.waitFor(async () => expect(await leaseOf()).toBeGreaterThan(begun), SOON),
    );
  });
  await answerTo(second, request);
  await other.free(1000);
});

test('an answer that is rolled back was never recorded', async () => {
  const request = randomUUID();
  const claim = await hold(first, request);
  const failing = inTransaction(database, async (transaction) => {
    await claim.record(transaction, ANSWER);
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  await claim.free(1000);
  using _ = await hold(second, request);
});

test('freeing a key waits for a COMMIT whose answer was lost, and leaves what it recorded', async () => {
  const request = randomUUID();
  const claim = await hold(first, request);
  const client = await database.connect();
  await client.query('BEGIN');
  await claim.record(client, ANSWER);
  const freed = claim.free(60_000);
  await untilStatementWaits(database, 'DELETE FROM idempotency_claims');
  await client.query('COMMIT');
  client.release();
  await freed;
  await answerTo(second, request);
});

const UNREADABLE = expect.objectContaining({
  code: 'CONFLICT',
  message: expect.stringContaining('Its answer can no longer be read'),
});

test('answers are sealed: for their request only, and lost with the secret', async () => {
  const [one, two] = [randomUUID(), randomUUID()];
  for (const request of [one, two]) {
    using claim = await hold(first, request);
    await claim.record(database, { ...ANSWER, text: `{"secret":"whsec_${request}"}` });
  }
  const { rows } = await database.query('SELECT c::text AS row FROM idempotency_claims AS c');
  for (const { row } of rows) {
    expect(row).not.toContain('whsec');
    expect(row).not.toContain(Buffer.from('whsec_').toString('base64').slice(0, 7));
  }
  const withOtherSecret = claimsWith(undefined, new Secret('another'));
  const former = await answerTo(withOtherSecret, one);
  expect(() => former.open()).toThrow(UNREADABLE);
  await database.query(
    `UPDATE idempotency_claims SET answer = (SELECT answer FROM idempotency_claims WHERE request = $1)
      WHERE request = $2`,
    [one, two],
  );
  const swapped = await answerTo(first, two);
  expect(() => swapped.open()).toThrow(UNREADABLE);
});

test('an answer of more than 256 KiB is a bug, and is not kept', async () => {
  using claim = await hold(first, randomUUID());
  const text = 'x'.repeat(256 * 1024 + 1);
  expect(() => claim.record(database, { ...ANSWER, text })).toThrow('262145 bytes');
  expect(await claim.record(database, { ...ANSWER, text: text.slice(1) })).toBe(true);
});

test('old answers are deleted, and of each account all but the newest', async () => {
  const [busy, quiet] = [await addAccount(database), await addAccount(database)];
  for (let n = 0; n < 12; n++) {
    using claim = await hold(first, `busy ${n}`, busy);
    await claim.record(database, ANSWER);
  }
  using _old = await hold(first, 'old', quiet);
  await passTime(24);
  for (let n = 0; n < 12; n++) {
    using claim = await hold(first, `busy ${n}`, busy);
    await claim.record(database, ANSWER);
  }
  using _underWay = await hold(first, 'under way', busy);
  using claim = await hold(first, 'quiet', quiet);
  await claim.record(database, ANSWER);
  await deleteOldClaims(database, { maxAnswers: 5 });
  expect(await countClaims(quiet)).toBe(1);
  expect(await countClaims(busy)).toBe(6);
  for (let n = 7; n < 12; n++) await answerTo(second, `busy ${n}`, busy);
  expect(await second.take(busy, 'under way')).toBe('under way');
});

test('of each account the newest answers are kept up to a number of bytes', async () => {
  const [busy, quiet] = [await addAccount(database), await addAccount(database)];
  const text = 'x'.repeat(1000);
  for (const [account, count] of [
    [busy, 8],
    [quiet, 3],
  ] as const) {
    for (let n = 0; n < count; n++) {
      using claim = await hold(first, `large ${n}`, account);
      await claim.record(database, { ...ANSWER, text });
    }
  }
  using _underWay = await hold(first, 'under way', busy);
  // Sealed and in base64, an answer has some 1,400 bytes.
  await deleteOldClaims(database, { maxBytes: 5000 });
  expect(await countClaims(quiet)).toBe(3);
  expect(await countClaims(busy)).toBe(3 + 1);
  for (let n = 5; n < 8; n++) await answerTo(second, `large ${n}`, busy);
});

test('the claims of an account go with it', async () => {
  const account = await addAccount(database);
  using _ = await hold(first, 'any', account);
  await inTransaction(database, (transaction) => deleteAccountRow(transaction, account));
  expect(await countClaims(account)).toBe(0);
});

test('a request is told by its method, path and key', () => {
  const ids = [
    requestIdOf('POST', '/api/domains', 'a'),
    requestIdOf('POST', '/api/domains', 'b'),
    requestIdOf('POST', '/api/domains/a', 'a'),
    requestIdOf('PUT', '/api/domains', 'a'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(requestIdOf('POST', `/${'x'.repeat(10_000)}`, 'a')).toHaveLength(43);
  expect(() => parseRequestKey('k, k')).toThrow('Idempotency-Key');
});
