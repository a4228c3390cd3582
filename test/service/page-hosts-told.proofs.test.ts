/** Spec D53 and D54: from an upload with pages of another host to the line in its robots.txt. A host is read once a minute. */
import { expect, test } from 'vitest';
import { startRobots } from '../support/start-robots.ts';
import { createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

const waypost = await useOwnWaypost();
const hosts = await startRobots();
const customer = await createCustomer(waypost);

test('spec D53 and D54 a missing line is found, said in the next upload, and found again after a check on demand', async () => {
  const domain = await customer.verifiedDomain();
  const [mute, open] = [hosts.origin(1), hosts.origin(2)];
  const publish = (count: number) =>
    customer.publish({
      domain: domain.hostname,
      urls: [
        ...entries(count, (n) => ({ loc: `${mute}/page/${n}` })),
        ...entries(2, (n) => ({ loc: `${open}/page/${n}` })),
        { loc: `https://${domain.hostname}/own` },
      ],
    });
  const list = async () => (await customer.call(`GET /api/domains/${domain.id}/page-hosts`)).json.data;
  const stateOf = async (origin: string) =>
    (await list()).find((pageHost: { origin: string }) => pageHost.origin === origin)?.state;

  const first = await publish(3);
  expect(first.warnings).toBeUndefined();
  const index = new URL('/sitemap-index.xml', first.sitemapUrl).href;
  hosts.robots.set(open, `User-agent: *\nDisallow: /\nSITEMAP: ${index}`);
  await expect.poll(() => stateOf(mute)).toBe('missing');
  const [found] = await list();
  expect(found).toEqual({
    origin: mute,
    host: new URL(mute).host,
    urlCount: 3,
    state: 'missing',
    message: expect.stringContaining(`“Sitemap: ${index}”`),
    line: `Sitemap: ${index}`,
    robotsUrl: `${mute}/robots.txt`,
    checkedAt: expect.stringMatching(/Z$/),
    nextCheckAt: expect.stringMatching(/Z$/),
  });
  const own = (await list()).find(({ line }: { line: string | null }) => line === null);
  expect(own.host).toBe(domain.hostname);

  const { stdout } = await runCli(waypost.settings, 'domain', 'check', domain.hostname);
  expect(stdout).toContain(mute);
  expect(stdout).toContain('missing');

  // Before the warning: the state is stored just before the mark on the domain.
  await expect.poll(async () => (await publish(4)).warnings).toEqual([expect.stringContaining(mute)]);
  expect((await publish(5)).warnings).toBeUndefined();

  hosts.robots.set(mute, `Sitemap: ${index}`);
  const { status, json } = await customer.call(`POST /api/domains/${domain.id}/page-hosts/check`);
  expect(status).toBe(202);
  expect(json.data.pageHosts).toBe(3);
  await expect.poll(() => stateOf(mute)).toBe('found');
  await expect.poll(() => stateOf(open)).toBe('disallowed');
  expect((await list())[0].urlCount).toBe(5);
});
