/** The state that all processes share at an authority: one key, one bucket of orders, one pause. */
import { afterAll, expect, test } from 'vitest';
import {
  findAcmeAccount,
  insertAcmeAccount,
  pauseAcmeAccount,
  takeOrderToken,
} from '../../src/features/certificates/acme-account-store.ts';
import { createPatientPool } from '../support/patient-pool.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();
const pools = Array.from({ length: 10 }, () => createPatientPool(url, 2));
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

let directories = 0;
async function addDirectory(): Promise<string> {
  const directory = `https://ca${++directories}.example/dir`;
  await insertAcmeAccount(database, directory, { keyId: 'k1', bytes: 'AAAA' }, LIMIT);
  return directory;
}

const LIMIT = 250;

test('of ten processes that make a key at once, one key counts', async () => {
  const directory = 'https://new.example/dir';
  await Promise.all(
    pools.map((pool, n) => insertAcmeAccount(pool, directory, { keyId: 'k1', bytes: `key ${n}` }, LIMIT)),
  );
  const found = await Promise.all(pools.map((pool) => findAcmeAccount(pool, directory, LIMIT)));
  expect(new Set(found.map((account) => account?.key.bytes)).size).toBe(1);
});

test('ten processes share the tokens of one authority, and tokens come back with time', async () => {
  const directory = await addDirectory();
  const other = await addDirectory();
  const taken = await Promise.all(
    Array.from({ length: 300 }, (_, n) => takeOrderToken(pools[n % 10]!, directory, LIMIT)),
  );
  const count = taken.filter(Boolean).length;
  // One token comes back every 43 s.
  expect(count).toBeGreaterThanOrEqual(250);
  expect(count).toBeLessThanOrEqual(253);
  expect(await takeOrderToken(database, other, LIMIT)).toBe(true);
  const passTime = (seconds: number) =>
    database.query(
      `UPDATE acme_accounts SET order_tokens = 0, tokens_at = now() - $2 * interval '1 second' WHERE directory = $1`,
      [directory, seconds],
    );
  await passTime(10);
  expect(await takeOrderToken(database, directory, LIMIT)).toBe(false);
  await passTime(44);
  expect(await takeOrderToken(database, directory, LIMIT)).toBe(true);
  // Never more than a full bucket, and a clock that went back takes nothing away.
  await passTime(10 * 86_400);
  await takeOrderToken(database, directory, LIMIT);
  const { rows } = await database.query(
    'SELECT order_tokens AS left FROM acme_accounts WHERE directory = $1',
    [directory],
  );
  expect(rows[0].left).toBe(249);
  await passTime(-86_400);
  expect(await takeOrderToken(database, directory, LIMIT)).toBe(false);
});

test('a pause holds for all processes, and a shorter one does not end it', async () => {
  const directory = await addDirectory();
  expect(await findAcmeAccount(database, directory, LIMIT)).toMatchObject({ pausedMs: 0 });
  await pauseAcmeAccount(pools[0]!, directory, 60_000);
  await pauseAcmeAccount(pools[1]!, directory, 1_000);
  const { pausedMs } = (await findAcmeAccount(pools[2]!, directory, LIMIT))!;
  expect(pausedMs).toBeGreaterThan(30_000);
  expect(pausedMs).toBeLessThanOrEqual(60_000);
});
