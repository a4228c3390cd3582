import { expect, test } from 'vitest';
import { addAccount } from '../support/accounts.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createPageHostFixture, indexLine } from './page-host-fixture.ts';

const { checkDue, count, database, domainWith, hosts, pass, upload } = await createPageHostFixture();
const account = await addAccount(database);

let n = 0;
const newHost = () => hosts.origin(n++);
const publish = ({ hostname }: { hostname: string }, sitemapName = 'other') =>
  upload(account, { domain: hostname, sitemapName, urls: plainEntries(1) });
const warningsOf = async (domain: { hostname: string }) => (await publish(domain)).warnings;

test('the upload after a line was found missing says so, once until it was there again', async () => {
  const host = newHost();
  const domain = await domainWith(account, { [host]: 1 });
  expect(await warningsOf(domain)).toEqual([]);
  await checkDue();
  const warnings = await warningsOf(domain);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(host);
  expect(warnings[0]).toContain(indexLine(domain).trim());
  expect(await warningsOf(domain)).toEqual([]);
  await pass(domain, 61);
  await checkDue();
  expect(await warningsOf(domain)).toEqual([]);

  hosts.robots.set(host, indexLine(domain));
  await pass(domain, 61);
  await checkDue();
  hosts.robots.delete(host);
  await pass(domain, 31 * 60);
  await checkDue();
  expect(await warningsOf(domain)).toHaveLength(1);
});

test('a line that is there before the next upload needs no warning', async () => {
  const host = newHost();
  const domain = await domainWith(account, { [host]: 1 });
  await checkDue();
  hosts.robots.set(host, indexLine(domain));
  await pass(domain, 61);
  await checkDue();
  expect(await warningsOf(domain)).toEqual([]);
});

test('a host that cannot be read, or disallows its pages, is no warning', async () => {
  const [failing, closed] = [newHost(), newHost()];
  const domain = await domainWith(account, { [failing]: 1, [closed]: 1 });
  hosts.robots.set(failing, (response) => response.writeHead(503).end());
  hosts.robots.set(closed, `User-agent: *\nDisallow: /\n${indexLine(domain)}`);
  await checkDue();
  expect(await warningsOf(domain)).toEqual([]);
});

test('five are said, those with the most URLs, and how many more there are', async () => {
  const counts = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [newHost(), 100 - i]));
  const domain = await domainWith(account, counts);
  await checkDue();
  const warnings = await warningsOf(domain);
  expect(warnings).toHaveLength(6);
  for (const [i, origin] of Object.keys(counts).slice(0, 5).entries()) expect(warnings[i]).toContain(origin);
  expect(warnings[5]).toBe(`And 3 more: see GET /api/domains/${domain.id}/page-hosts.`);
  expect(await warningsOf(domain)).toEqual([]);
});

test('an upload that is not published takes no warning', async () => {
  const domain = await domainWith(account, { [newHost()]: 1 });
  await checkDue();
  const body = { domain: domain.hostname, urls: plainEntries(1) };
  const failing = { takeWarnings: () => Promise.reject(new Error('killed')) };
  await expect(upload(account, body, failing)).rejects.toThrow('killed');
  await expect(
    upload(account, { ...body, sitemapName: 'new' }, { allowance: { sitemapsPerDomain: 0 } }),
  ).rejects.toThrow();
  expect(await warningsOf(domain)).toHaveLength(1);
});

test('a host that has left the sitemaps is no warning', async () => {
  const domain = await domainWith(account, { [newHost()]: 1 });
  await checkDue();
  await count(domain, {});
  expect(await warningsOf(domain)).toEqual([]);
});

test('checks, counts and uploads of one domain at once neither stop each other nor lose a warning', async () => {
  const origins = Array.from({ length: 12 }, newHost);
  const domain = await domainWith(
    account,
    Object.fromEntries(origins.map((origin) => [origin, 1])),
    'a',
    'b',
  );
  const given: string[] = [];
  for (let round = 0; round < 3; round++) {
    await Promise.all([
      checkDue(),
      ...['a', 'b'].map((name) =>
        count(domain, Object.fromEntries(origins.map((origin) => [origin, round])), name),
      ),
      ...[0, 1, 2].map(async (i) => given.push(...(await publish(domain, `c${i}`)).warnings)),
    ]);
  }
  await checkDue();
  given.push(...(await warningsOf(domain)));
  const said = given.reduce((sum, text) => sum + Number(/^And (\d+) more/.exec(text)?.[1] ?? 1), 0);
  expect(said).toBe(12);
});
