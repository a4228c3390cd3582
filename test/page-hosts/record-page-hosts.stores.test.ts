import { expect, test } from 'vitest';
import { addAccount } from '../support/accounts.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createPageHostFixture } from './page-host-fixture.ts';

const { checkDue, count, database, domainWith, hosts, list, upload } = await createPageHostFixture();
const account = await addAccount(database);

const originsOf = async (domain: { id: string }) => (await list(domain)).map(({ origin }) => origin);

test('the next upload replaces the counts of its sitemap, and only these', async () => {
  const domain = await domainWith(account, { 'https://a.example': 5 }, '', 'news');
  await count(domain, { 'https://b.example': 3, 'https://a.example': 1 });
  expect(await list(domain)).toMatchObject([
    { origin: 'https://a.example', urlCount: 6 },
    { origin: 'https://b.example', urlCount: 3 },
  ]);
  await count(domain, {}, 'news');
  await count(domain, { 'https://b.example': 3 });
  expect(await list(domain)).toMatchObject([{ origin: 'https://b.example', urlCount: 3 }]);
});

test('an origin has one spelling; what is none is left out', async () => {
  const domain = await domainWith(account, {
    'https://A.example': 1,
    'https://a.example:443': 2,
    'https://a.example/': 4,
    'not an origin': 8,
  });
  expect(await list(domain)).toMatchObject([{ origin: 'https://a.example', urlCount: 7 }]);
});

test('the 100 hosts with the most URLs of all sitemaps are checked', async () => {
  const many = (prefix: string, base: number) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`https://${prefix}${n}.example`, base + n]));
  const domain = await domainWith(account, many('small', 1));
  await database.query("UPDATE page_hosts SET due_at = now() + interval '1 hour' WHERE domain_id = $1", [
    domain.id,
  ]);
  expect(await originsOf(domain)).toHaveLength(100);
  await upload(account, { domain: domain.hostname, sitemapName: 'large', urls: plainEntries(1) });
  await count(domain, many('large', 51), 'large');
  const origins = await originsOf(domain);
  expect(origins).toHaveLength(100);
  expect(origins[0]).toBe('https://large99.example');
  expect(origins).toContain('https://small99.example');
  expect(origins).not.toContain('https://small0.example');
  await database.query('DELETE FROM domains WHERE id = $1', [domain.id]);
});

test('a host that is new to a sitemap is due at once, another upload changes no date', async () => {
  const host = hosts.origin(1);
  const domain = await domainWith(account, { [host]: 1 }, 'a');
  hosts.robots.set(host, `Sitemap: https://${domain.hostname}/sitemap-a.xml`);
  await checkDue();
  expect(await list(domain)).toMatchObject([{ state: 'found' }]);
  const [{ nextCheckAt } = { nextCheckAt: null }] = await list(domain);
  await count(domain, { [host]: 2 }, 'a');
  expect(await list(domain)).toMatchObject([{ state: 'found', urlCount: 2, nextCheckAt }]);
  const later = await domainWith(account, {}, 'a', 'b');
  await count(later, { [host]: 1 }, 'a');
  await checkDue();
  await count(later, { [host]: 1 }, 'b');
  expect(await checkDue()).toBe(1);
});

test('many that count at once for one domain do not stop each other', async () => {
  const names = Array.from({ length: 8 }, (_, n) => `part${n}`);
  const domain = await domainWith(account, {}, ...names);
  const shuffled = (n: number) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`https://h${(i * 7 + n * 3) % 20}.example`, 1]));
  for (let round = 0; round < 3; round++) {
    await Promise.all(names.map((name, n) => count(domain, round === 1 ? {} : shuffled(n), name)));
  }
  expect(await list(domain)).toHaveLength(20);
  expect((await list(domain)).every(({ urlCount }) => urlCount === 8)).toBe(true);
});
