/** Jobs: the sweep deletes everything that nothing refers to, and nothing else. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile, fetchLocs } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { bulkyAt, entries, uploadDocument } from './support/entries.ts';
import { storedObjects } from './support/store.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { createFolder, startService } from './support/waypost.ts';

async function runSql(dataDir: string, ...statements: string[]): Promise<void> {
  const connectionString = await readFile(join(dataDir, 'postgres', 'url'), 'utf8');
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The job runs every ten minutes. This asks for it now. */
const SWEEP = "SELECT graphile_worker.add_job('garbage.collect')";

const waypost = await useOwnWaypost({ KEEP_REPLACED_MS: '1' });
const customer = await createCustomer(waypost);
const stored = (prefix = '') => storedObjects(waypost.dataDir, prefix);

test('replaced uploads and former indexes are collected, and everything live stays', async () => {
  const { hostname } = await customer.verifiedDomain();
  const sizeLimit = 'gsc-optimized';
  await customer.publish({ domain: hostname, sizeLimit, urls: entries(3000, bulkyAt) });
  const former = await stored('uploads/');
  expect(former).toHaveLength(3);
  // The last ten generations are kept.
  for (let i = 0; i < 10; i++) await customer.publish({ domain: hostname, force: true, urls: entries(5) });
  await customer.publish({ domain: hostname, sitemapName: 'blog', urls: entries(6) });
  await vi.waitFor(async () => {
    // The first upload stays until the next one has been compared with it.
    await runSql(waypost.dataDir, SWEEP);
    const left = await stored('uploads/');
    expect(left.filter((key) => former.includes(key))).toEqual([]);
    // site.json has the indexes and listings of the site.
    expect(await stored(`sites/${hostname}/`)).toHaveLength(1);
  }, SOON);
  await vi.waitFor(async () => {
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(5);
  }, SOON);
  expect(await fetchLocs(waypost, hostname, '/sitemap-blog.xml')).toHaveLength(6);
  expect((await fetchFile(waypost, hostname, '/sitemap-index.xml')).status).toBe(200);
});

test('the objects of a deleted sitemap or domain are collected', async () => {
  const before = await stored();
  const { hostname, id } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(5) });
  await customer.publish({ domain: hostname, sitemapName: 'blog', urls: entries(6) });
  await customer.call(`DELETE /api/domains/${id}/sitemaps/blog`);
  await customer.call(`DELETE /api/domains/${id}`);
  await vi.waitFor(async () => {
    await runSql(waypost.dataDir, SWEEP);
    expect(await stored()).toEqual(before);
  }, SOON);
});

test('the staged files of a killed process are collected after their time, not before', async () => {
  await using folder = await createFolder();
  const first = await startService({}, folder.path);
  const owner = await createCustomer(first);
  const { hostname } = await owner.verifiedDomain();
  await owner.publish({ domain: hostname, urls: entries(5) });
  const published = await storedObjects(folder.path, 'uploads/');
  const staged = () => storedObjects(folder.path, 'uploads/');
  async function* cutShort() {
    const members = { domain: hostname, sizeLimit: 'gsc-optimized' };
    yield* Array.from(uploadDocument(members, 9000, bulkyAt)).slice(0, -1);
    await expect.poll(async () => (await staged()).length).toBeGreaterThan(published.length + 3);
    first.process.kill('SIGKILL');
    await new Promise(() => {});
  }
  await expect(owner.upload(cutShort())).rejects.toThrow();
  await first.process.exited;

  await using second = await startService({}, folder.path);
  const left = await staged();
  expect(left.length).toBeGreaterThan(published.length);
  const swept = async () => {
    await runSql(folder.path, SWEEP);
    await vi.waitFor(async () => {
      const connectionString = await readFile(join(folder.path, 'postgres', 'url'), 'utf8');
      const client = new pg.Client({ connectionString });
      await client.connect();
      const { rowCount } = await client.query(
        "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'garbage.collect' AND key IS NULL",
      );
      await client.end();
      expect(rowCount).toBe(0);
    }, SOON);
  };
  await swept();
  expect(await staged()).toEqual(left);

  await runSql(folder.path, 'UPDATE garbage SET collect_after = now()');
  await swept();
  expect(await staged()).toEqual(published);
  await vi.waitFor(async () => {
    expect(await fetchLocs(second, hostname, '/sitemap.xml')).toHaveLength(5);
  }, SOON);
});
