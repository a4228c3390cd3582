import { expect, test } from 'vitest';
import { createHostingComplaints } from '../../src/edges/hosting/complaints.ts';
import { listingKey } from '../../src/features/sites/site.ts';
import { publishSite } from './hosted-site.ts';
import { HOSTNAME, startHosting } from './start-hosting.ts';

test('each kind is logged at once, and then every 10 s with the number of suppressed lines', () => {
  let now = 0;
  const lines: unknown[] = [];
  const log = {
    info: () => {},
    warn: (details: object, message: string) => lines.push(['warn', details, message]),
    error: (details: object, message: string) => lines.push(['error', details, message]),
  };
  const complain = createHostingComplaints(log, () => now);
  for (const url of ['/a', '/b', '/c']) complain.cutShort({ url });
  complain.hostsRefused({});
  now = 10_000;
  complain.cutShort({ url: '/d' });
  expect(lines).toEqual([
    ['error', { url: '/a', unsaid: 0 }, 'answer cut short'],
    ['warn', { unsaid: 0 }, 'too many unknown hosts: some are not looked up'],
    ['error', { url: '/d', unsaid: 2 }, 'answer cut short'],
  ]);
});

test('a missing file is logged rarely, for any number of requests', async () => {
  await using hosting = await startHosting();
  await publishSite(hosting.storage, { sitemaps: [{ uploadId: 'u', files: ['<urlset/>'] }] });
  await hosting.storage.deleteMany([listingKey('u')]);
  for (const _ of [1, 2, 3]) expect((await hosting.get('/sitemap.xml')).status).toBe(503);
  hosting.clock.now += 10_000;
  expect((await hosting.get('/sitemap.xml')).status).toBe(503);
  const message = 'a published file is missing';
  const about = { host: HOSTNAME, url: '/sitemap.xml' };
  expect(hosting.logged).toMatchObject([
    { level: 'error', message, details: { ...about, unsaid: 0 } },
    { level: 'error', message, details: { ...about, unsaid: 2 } },
  ]);
});
