import { expect, test } from 'vitest';
import { setSuspended } from '../../src/features/accounts/account-store.ts';
import { askForCheck } from '../../src/features/page-hosts/ask-for-check.ts';
import {
  postponeCheck,
  recordCheck,
  takeDuePageHosts,
} from '../../src/features/page-hosts/page-host-store.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { addAccount } from '../support/accounts.ts';
import { DAY_MS } from '../uploads/upload-fixture.ts';
import { createPageHostFixture, indexLine } from './page-host-fixture.ts';

const fixture = await createPageHostFixture();
const { openChange, checkDue, clock, count, database, domainWith, hosts, list, pass } = fixture;
const account = await addAccount(database);

let n = 0;
const newHost = () => hosts.origin(n++);
const minutesTo = (date: Date) => (date.getTime() - Date.now()) / 60_000;
const asked = (origin: string) => hosts.asked.filter((one) => one === origin).length;

test('a missing line is found, said, checked hourly for a day and then daily, until it is there', async () => {
  const host = newHost();
  const domain = await domainWith(account, { [host]: 12_000 });
  expect(await list(domain)).toMatchObject([
    { origin: host, state: 'unchecked', message: null, checkedAt: null },
  ]);
  await checkDue();
  const [missing] = await list(domain);
  expect(missing).toMatchObject({ origin: host, urlCount: 12_000, state: 'missing' });
  expect(missing!.message).toContain(indexLine(domain).trim());
  expect(missing!.checkedAt).not.toBeNull();
  for (let hour = 0; hour < 24; hour++) {
    expect(minutesTo((await list(domain))[0]!.nextCheckAt)).toBeGreaterThan(50);
    expect(minutesTo((await list(domain))[0]!.nextCheckAt)).toBeLessThan(70);
    await pass(domain, 61);
    await checkDue();
  }
  expect(minutesTo((await list(domain))[0]!.nextCheckAt)).toBeGreaterThan(17 * 60);
  expect(asked(host)).toBe(25);

  hosts.robots.set(host, indexLine(domain));
  await pass(domain, 31 * 60);
  await checkDue();
  expect(await list(domain)).toMatchObject([{ state: 'found' }]);
  expect(minutesTo((await list(domain))[0]!.nextCheckAt)).toBeGreaterThan(17 * 60);
});

test('each sitemap with pages of the host must be named', async () => {
  const host = newHost();
  const domain = await domainWith(account, { [host]: 1 }, '', 'news');
  hosts.robots.set(host, `Sitemap: https://${domain.hostname}/sitemap-news.xml`);
  await checkDue();
  expect(await list(domain)).toMatchObject([{ state: 'partly', urlCount: 2 }]);
  await count(domain, {}, '');
  await pass(domain, 61);
  await checkDue();
  expect(await list(domain)).toMatchObject([{ state: 'found', urlCount: 1 }]);
});

test('100 hosts in one sitemap are checked, each by itself', async () => {
  const counts = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [newHost(), 1000 - i]));
  const domain = await domainWith(account, counts);
  const origins = Object.keys(counts);
  for (const [i, origin] of origins.entries()) if (i % 3 === 0) hosts.robots.set(origin, indexLine(domain));
  await checkDue();
  const found = await list(domain);
  expect(found.map(({ origin }) => origin)).toEqual(origins);
  expect(found.map(({ state }) => state)).toEqual(origins.map((_, i) => (i % 3 === 0 ? 'found' : 'missing')));
});

test('domains with pages of one host share what it said', async () => {
  const host = newHost();
  const domains = [];
  for (let i = 0; i < 3; i++) domains.push(await domainWith(account, { [host]: 1 }));
  hosts.robots.set(host, domains.map(indexLine).join(''));
  // While one asks, the others wait a few seconds.
  for (let turn = 0; turn < 2; turn++) {
    await checkDue();
    await database.query('UPDATE page_hosts SET due_at = now() WHERE origin = $1 AND checked_at IS NULL', [
      host,
    ]);
  }
  for (const domain of domains) expect(await list(domain)).toMatchObject([{ state: 'found' }]);
  expect(asked(host)).toBe(1);
});

test('a check on demand while another one is under way is due after it, and an older reading replaces no newer one', async () => {
  const host = newHost();
  const domain = await domainWith(account, { [host]: 1 });
  const [early] = await takeDuePageHosts(database, { limit: 1, perAccount: 1, busyAccounts: [] });
  expect(await askForCheck(database, domain.id)).toBe(1);
  const [late] = await takeDuePageHosts(database, { limit: 1, perAccount: 1, busyAccounts: [] });
  const result = { message: '', nextInMs: 3_600_000 };
  await recordCheck(database, late!, { ...result, state: 'found', ageMs: 10 });
  const after = await list(domain);
  await recordCheck(database, early!, { ...result, state: 'missing', ageMs: 60_000 });
  await postponeCheck(database, early!, 1000);
  expect(await list(domain)).toEqual(after);
  expect(after).toMatchObject([{ state: 'found' }]);
});

test('a check on demand comes at once, at most once a minute, and never shows an older answer', async () => {
  const host = newHost();
  const domain = await domainWith(account, { [host]: 1 });
  await checkDue();
  expect(await list(domain)).toMatchObject([{ state: 'missing' }]);
  hosts.robots.set(host, indexLine(domain));
  clock.ms += 10_000;
  expect(await askForCheck(database, domain.id)).toBe(1);
  await expect(askForCheck(database, domain.id)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  await checkDue();
  // The host was asked 10 s ago, before the line was there.
  expect(await list(domain)).toMatchObject([{ state: 'missing' }]);
  expect(minutesTo((await list(domain))[0]!.nextCheckAt)).toBeLessThan(1);
  await pass(domain, 1);
  await checkDue();
  expect(await list(domain)).toMatchObject([{ state: 'found' }]);
  expect(asked(host)).toBe(2);
  await pass(domain, 1);
  expect(await askForCheck(database, domain.id)).toBe(1);
  await checkDue();
});

test('a check on demand comes at once, although the clock was years ahead at the last one', async () => {
  const domain = await domainWith(account, { [newHost()]: 1 });
  await askForCheck(database, domain.id);
  await database.query(`UPDATE domains SET page_hosts_asked_at = now() + interval '4 years' WHERE id = $1`, [
    domain.id,
  ]);
  expect(await askForCheck(database, domain.id)).toBe(1);
  await expect(askForCheck(database, domain.id)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  await checkDue();
});

test('a check whose process died is done by another process a minute later', async () => {
  const host = newHost();
  const domain = await domainWith(account, { [host]: 1 });
  const limits = { limit: 1000, perAccount: 1000, busyAccounts: [] };
  expect((await takeDuePageHosts(database, limits)).map(({ origin }) => origin)).toEqual([host]);
  expect(await takeDuePageHosts(database, limits)).toEqual([]);
  await pass(domain, 2);
  expect((await takeDuePageHosts(database, limits)).map(({ origin }) => origin)).toEqual([host]);
});

test('processes that take at the same time get different page hosts', async () => {
  const counts = Object.fromEntries(Array.from({ length: 90 }, () => [newHost(), 1]));
  const domain = await domainWith(account, counts);
  const taken = await Promise.all(
    Array.from({ length: 6 }, () =>
      takeDuePageHosts(database, { limit: 30, perAccount: 30, busyAccounts: [] }),
    ),
  );
  const origins = taken.flat().map(({ origin }) => origin);
  expect(new Set(origins).size).toBe(origins.length);
  expect(origins.length).toBeGreaterThanOrEqual(30);
  await database.query('DELETE FROM domains WHERE id = $1', [domain.id]);
});

test('accounts take turns, and a busy one waits', async () => {
  const other = await addAccount(database);
  await domainWith(account, Object.fromEntries(Array.from({ length: 100 }, () => [newHost(), 1])));
  const late = await domainWith(other, { [newHost()]: 1 });
  const first = await takeDuePageHosts(database, { limit: 2, perAccount: 50, busyAccounts: [] });
  expect(first.map(({ accountId }) => accountId).sort()).toEqual([account, other].sort());
  await pass(late, 2);
  const rest = await takeDuePageHosts(database, { limit: 200, perAccount: 50, busyAccounts: [account] });
  expect(rest.map(({ domainId }) => domainId)).toEqual([late.id]);
  const some = await takeDuePageHosts(database, { limit: 200, perAccount: 50, busyAccounts: [] });
  expect(some).toHaveLength(50);
  await database.query('DELETE FROM domains WHERE account_id = ANY($1)', [[account, other]]);
});

test('a suspended account waits', async () => {
  const suspended = await addAccount(database);
  const host = newHost();
  const domain = await domainWith(suspended, { [host]: 1 });
  await setSuspended(database, suspended, true);
  await checkDue();
  expect(asked(host)).toBe(0);
  await setSuspended(database, suspended, false);
  await pass(domain, 61);
  await checkDue();
  expect(asked(host)).toBe(1);
});

test('the hosts of a deleted sitemap are no longer listed, nor asked', async () => {
  const [host, other] = [newHost(), newHost()];
  const domain = await domainWith(account, { [host]: 1 }, 'news');
  await count(domain, { [host]: 1, [other]: 1 }, 'news');
  await deleteSitemap({ openChange, keepReplacedMs: DAY_MS }, domain, 'news');
  expect(await list(domain)).toEqual([]);
  await checkDue();
  expect((await database.query('SELECT FROM page_hosts WHERE domain_id = $1', [domain.id])).rowCount).toBe(0);
});

test('a domain that is deleted during its check leaves nothing', async () => {
  const host = newHost();
  const domain = await domainWith(account, { [host]: 1 });
  hosts.robots.set(host, async (response) => {
    await database.query('DELETE FROM domains WHERE id = $1', [domain.id]);
    response.end();
  });
  await checkDue();
  expect(asked(host)).toBe(1);
  expect((await database.query('SELECT FROM page_hosts WHERE domain_id = $1', [domain.id])).rowCount).toBe(0);
});
