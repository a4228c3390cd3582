/** An upgrade from each version whose data is kept: what was served stays served, and everything works on it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { keptArchives, unpack } from '../upgrades/kept-data.ts';
import { restore } from '../upgrades/restore.ts';
import { crawl, fetchFile, fetchLocs, isGone } from './support/crawler.ts';
import { type Customer, customerWith, SETTLED } from './support/customer.ts';
import { isOnS3 } from './support/store.ts';
import { PLAIN } from './support/use-waypost.ts';
import { createDataFolder, createFolder, runCli, startService } from './support/waypost.ts';

const HOSTNAME = 'shop.localhost';

describe.each(await keptArchives())('%s', (archive) => {
  test('goes on with this version', async () => {
    const kept = await createTemporaryFolder();
    unpack(archive, kept);
    await using folder = isOnS3 ? await createFolder() : await createDataFolder();
    await restore(kept, folder.path);
    // All in one has a secret of its own.
    const webhooks = isOnS3 ? { WEBHOOK_SECRET: 'for tests'.padEnd(32, '.') } : {};
    await using waypost = await startService({ ...PLAIN, ...webhooks }, folder.path);
    const { apiKey } = JSON.parse(await readFile(join(kept, 'data/demo.json'), 'utf8'));
    const customer = customerWith(waypost, '', apiKey);
    const { json } = await customer.call('GET /api/domains');
    const idOf = (name: string) => json.data.find((each: { hostname: string }) => each.hostname === name)?.id;
    const [id, waiting] = [idOf(HOSTNAME), idOf('waits.localhost')];
    const command = (...args: string[]) => runCli(waypost.settings, ...args);

    await servesAll(customer, id);
    await vi.waitFor(async () => {
      const { data } = (await customer.call(`GET /api/domains/${id}`)).json;
      // On S3 there is no authority: a domain stays as it was.
      if (isOnS3) expect(['verified', 'active']).toContain(data.status);
      else expect(data).toMatchObject(SETTLED);
    }, SOON);

    // The waiting domain goes on. On S3, no DNS server knows its name.
    if (isOnS3)
      expect(await command('domain', 'verify', '--force', 'waits.localhost')).toMatchObject({ code: 0 });
    else expect((await customer.call(`POST /api/domains/${waiting}/verify`)).status).toBe(200);
    await vi.waitFor(async () => {
      expect((await fetchFile(waypost, 'waits.localhost', '/sitemap.xml')).status).toBe(200);
    }, SOON);
    await isGone(waypost, 'gone.localhost', '/sitemap.xml');
    await isGone(waypost, HOSTNAME, '/sitemap-old.xml');

    await changesAll(customer, id);
    expect((await command('doctor')).stdout).toContain('all is well');
    await customer.call(`DELETE /api/domains/${id}`);
    await isGone(waypost, HOSTNAME, '/sitemap.xml');
  });
});

/** Each sitemap has as many URLs for crawlers as the API lists. */
async function servesAll({ waypost, call }: Customer, id: string): Promise<void> {
  const { data } = (await call(`GET /api/domains/${id}/sitemaps`)).json;
  expect(data.map(({ name }: { name: string }) => name).sort()).toEqual(['default', 'news', 'pairs']);
  const wanted = data.reduce((sum: number, { urlCount }: { urlCount: number }) => sum + urlCount, 0);
  let served = 0;
  await vi.waitFor(async () => {
    served = 0;
    for await (const { xml } of crawl(waypost, HOSTNAME)) served += xml.split('<url>').length - 1;
  }, SOON);
  expect(served).toBe(wanted);
}

/** Replaces, compares, rolls back, deletes, and everything beside it. */
async function changesAll({ waypost, call, publish }: Customer, id: string): Promise<void> {
  const changes = async () => (await call(`GET /api/domains/${id}/sitemaps/default/changes`)).json.data;
  await vi.waitFor(async () => expect((await changes()).state).not.toBe('pending'), SOON);
  const first = await fetchLocs(waypost, HOSTNAME, '/sitemap.1.xml');
  const urls = [...first.slice(0, 900), 'https://www.example.com/new'].map((loc) => ({ loc }));
  const data = { domain: HOSTNAME, urls };
  expect(
    (await call('PATCH /api/domains/'.concat(id), { body: { guard: { maxRemovedPercent: 100 } } })).status,
  ).toBe(200);
  await publish(data);
  expect(await fetchLocs(waypost, HOSTNAME, '/sitemap.xml')).toHaveLength(901);
  await vi.waitFor(async () => expect(await changes()).toMatchObject({ added: 1 }), SOON);
  const { json } = await call(`GET /api/domains/${id}/sitemaps/default/generations`);
  const former = json.data.find(({ live }: { live: boolean }) => !live);
  const back = await call(`POST /api/domains/${id}/sitemaps/default/rollback`, {
    body: { generation: former.generation },
  });
  expect(back.status).toBe(200);
  expect(await fetchLocs(waypost, HOSTNAME, '/sitemap.1.xml')).toEqual(first);
  expect((await call(`DELETE /api/domains/${id}/sitemaps/news`)).status).toBe(200);
  await isGone(waypost, HOSTNAME, '/sitemap-news.xml');
  const webhook = { url: 'https://hooks.example.com/new', events: ['upload.published'] };
  expect((await call('POST /api/webhooks', { body: webhook })).status).toBe(201);
  expect((await call(`PATCH /api/domains/${id}`, { body: { indexNow: { enabled: true } } })).status).toBe(
    200,
  );
  expect((await call('GET /api/webhooks')).json.data.length).toBeGreaterThan(0);
  expect((await call(`GET /api/domains/${id}/uploads`)).status).toBe(200);
}
