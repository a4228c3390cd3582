import { beforeEach, expect, test } from 'vitest';
import { takeDuePending } from '../../src/features/domains/check-store.ts';
import { deleteExpiredDomains } from '../../src/features/domains/delete-domain.ts';
import { verifyPending } from '../../src/features/domains/verify-pending.ts';
import { addAccount, addDomain } from '../support/accounts.ts';
import { createLifeFixture } from './life-fixture.ts';

const { database, find, life, log, pass, point, verified, watch } = await createLifeFixture();
const sweep = () => verifyPending(life);
const register = async (hostname?: string) => addDomain(database, await addAccount(database), hostname);

beforeEach(async () => {
  await database.query('DELETE FROM domains');
});

test('a domain is verified by itself within a minute after its record is right, with the event of a verification', async () => {
  const domain = await register();
  await sweep();
  expect((await find(domain)).status).toBe('pending_verification');
  await pass(domain, 1.1);
  await sweep();
  expect((await find(domain)).status).toBe('pending_verification');
  point(domain, domain.cnameTarget);
  await pass(domain, 1.1);
  await sweep();
  expect((await find(domain)).status).toBe('verified');
  expect(verified).toContain(domain.id);
  expect(log.lines.map(({ message }) => message)).toContain('domain verified by itself');
  // From now on, the domain is watched like all served domains.
  expect((await watch(domain)).next).toBeGreaterThan(60);
});

test('the checks of a domain become rarer, and end with the registration', async () => {
  const domain = await register();
  const gaps = [];
  for (const age of [2, 59, 61, 24 * 60 - 10, 25 * 60, 29 * 24 * 60]) {
    await database.query(
      "UPDATE domains SET created_at = now() - $2 * interval '1 minute', check_at = now() WHERE id = $1",
      [domain.id, age],
    );
    await sweep();
    gaps.push(Math.round((await watch(domain)).next!));
  }
  expect(gaps).toEqual([1, 1, 10, 10, 60, 60]);
  await pass(domain, 2 * 24 * 60);
  await deleteExpiredDomains(life);
  expect(await find(domain)).toBeUndefined();
});

test('names of this machine are not looked for, nor domains that are served or failed', async () => {
  const local = await register('a.localhost');
  expect((await watch(local)).next).toBeNull();
  const [served, failed] = [await register(), await register()];
  await database.query("UPDATE domains SET status = 'verified', check_at = now() WHERE id = $1", [served.id]);
  await database.query("UPDATE domains SET status = 'failed', check_at = now() WHERE id = $1", [failed.id]);
  expect(await takeDuePending(database, 10)).toEqual([]);
});

test('accounts take turns, so that one with many domains keeps no other one waiting', async () => {
  const [busy, other] = [await addAccount(database), await addAccount(database)];
  for (let n = 0; n < 5; n++) await addDomain(database, busy);
  await database.query("UPDATE domains SET check_at = now() - interval '5 minutes'");
  const late = await addDomain(database, other);
  await database.query('UPDATE domains SET check_at = now() WHERE id = $1', [late.id]);
  const taken = await takeDuePending(database, 2);
  expect(new Set(taken.map(({ accountId }) => accountId))).toEqual(new Set([busy, other]));
});

test('processes that look at once take other domains', async () => {
  for (let n = 0; n < 60; n++) await register();
  await database.query('UPDATE domains SET check_at = now()');
  const taken = await Promise.all(Array.from({ length: 6 }, () => takeDuePending(database, 10)));
  expect(new Set(taken.flat().map(({ id }) => id)).size).toBe(taken.flat().length);
  while ((await takeDuePending(database, 10)).length > 0);
  expect(await takeDuePending(database, 10)).toEqual([]);
});
