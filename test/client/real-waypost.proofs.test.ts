/** The client against a running Waypost. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { Waypost } from '../../client/src/client.ts';
import { freePort } from '../../tools/free-port.ts';
import { fetchLocs } from '../service/support/crawler.ts';
import { createCustomer, uniqueHostname } from '../service/support/customer.ts';
import { storedUploads } from '../service/support/store.ts';
import { createDataFolder, startWaypost } from '../service/support/waypost.ts';
import { collect } from '../support/collect.ts';
import { SOON } from '../support/soon.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { runClient, startClient } from './support/run-client.ts';

const files = await createTemporaryFolder();
const folder = await createDataFolder();
const ENVIRONMENT = {
  API_PORT: String(await freePort()),
  SITE_FRESH_MS: '100',
  DNS_SERVERS: '127.0.0.1:9',
};
let waypost = await startWaypost(ENVIRONMENT, folder.path);
afterAll(async () => {
  await waypost[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});
const { apiUrl: url, demoKey: key } = waypost;
const library = new Waypost({ apiKey: key, url });

const run = (...args: string[]) => runClient(args, { url, key });

const locs = (count: number) => Array.from({ length: count }, (_, n) => `https://www.example.com/page/${n}`);
const documentOf = (count: number) => JSON.stringify({ urls: locs(count).map((loc) => ({ loc })) });

async function verifiedDomain(): Promise<string> {
  const { hostname } = await library.createDomain(uniqueHostname());
  expect(await library.verifyDomain(hostname)).toMatchObject({ status: 'verified' });
  return hostname;
}

async function servedIs(hostname: string, count: number, path = '/sitemap.xml'): Promise<void> {
  await vi.waitFor(async () => expect(await fetchLocs(waypost, hostname, path)).toEqual(locs(count)), SOON);
}

test('the first steps of the help', async () => {
  const hostname = uniqueHostname();
  expect(await run('domains', 'add', hostname)).toMatchObject({ code: 0 });
  expect(await run('domains', 'verify', hostname)).toMatchObject({ code: 0 });
  const path = join(files, 'urls.json.gz');
  await writeFile(path, gzipSync(documentOf(3)));
  const uploaded = await run('upload', path, '--domain', hostname, '--name', 'news');
  expect(uploaded).toMatchObject({ code: 0, stdout: expect.stringContaining('Published 3 URLs in 1 file') });
  await servedIs(hostname, 3, '/sitemap-news.xml');
  const listed = await run('sitemaps', hostname, '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'news', urlCount: 3 }]);
  expect((await run('domains', 'show', hostname)).stdout).toContain(`DNS record: ${hostname} CNAME `);
  expect(await run('sitemaps', 'delete', hostname, 'news', '--yes')).toMatchObject({ code: 0 });
  expect(await run('domains', 'delete', hostname, '--yes')).toMatchObject({ code: 0 });
  expect(await run('sitemaps', hostname)).toMatchObject({ code: 1 });
});

test('the library sees what the program did', async () => {
  const hostname = await verifiedDomain();
  async function* bytes() {
    yield Buffer.from(documentOf(2));
  }
  const uploaded = await library.uploadStream(hostname, bytes(), { form: 'json', gzip: true });
  expect(uploaded).toMatchObject({ domain: hostname, urlCount: 2, filesGenerated: 1, served: true });
  expect(await collect(library.listSitemaps(hostname))).toMatchObject([{ name: 'default', urlCount: 2 }]);
  expect(await library.getDomain(hostname)).toMatchObject({ hostname, dns: { wanted: { type: 'CNAME' } } });
});

describe('refusals end with 1', () => {
  test('an invalid entry', async () => {
    const path = join(files, 'invalid.json');
    await writeFile(path, JSON.stringify({ urls: [{ loc: 'x' }, { loc: 'y', priority: 3 }] }));
    const { code, stderr } = await run('upload', path, '--domain', await verifiedDomain(), '--quiet');
    expect(stderr).toMatch(
      /^waypost: urls\[0\]\.loc: must be .*\nwaypost: {3}2 × loc: .*\nwaypost: {3}1 × priority: .* \(urls\[1\]\.priority: 3\)\n/,
    );
    expect(code).toBe(1);
  });

  test('a domain of nobody', async () => {
    const path = join(files, 'valid.json');
    await writeFile(path, documentOf(1));
    const { code, stderr } = await run('upload', path, '--domain', 'nobody.example.com', '--quiet');
    expect(stderr).toMatch(/^waypost: The domain is not registered/);
    expect(code).toBe(1);
  });

  test('a wrong key', async () => {
    const { code, stderr } = await runClient(['domains'], { url });
    expect(stderr).toContain('Check the API key');
    expect(code).toBe(1);
  });
});

test('an account beyond its rate ends with 3, and waits as long as it is told', async () => {
  const { key: poor } = await createCustomer(waypost, 'free');
  const unrepeated = new Waypost({ apiKey: poor, url, retries: 0 });
  const calls = Array.from({ length: 6 }, () => collect(unrepeated.listDomains()));
  expect((await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  const { child, ended } = startClient(['domains'], { url, key: poor, stdin: '' });
  const [said] = await new Promise<Buffer[]>((resolve) =>
    child.stderr!.once('data', (text) => resolve([text])),
  );
  expect(String(said)).toMatch(/Trying again in \d+ s \(attempt 2\)\.\n$/);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130 });
  expect(await runClient(['domains', '--retries', '0'], { url, key: poor })).toMatchObject({ code: 3 });
});

describe('a server that dies in the middle of an upload, and is started again', () => {
  const COUNT = 300_000;
  const options = ['--form', 'json', '--size-limit', 'gsc-optimized', '--domain'];

  /** Kills it when the upload has begun to store files. */
  const restart = async (storedBefore: readonly string[]) => {
    await vi.waitFor(async () => {
      // The upload that the last kill left may be deleted meanwhile.
      expect(storedBefore).not.toEqual(expect.arrayContaining(await storedUploads(folder.path)));
    }, SOON);
    waypost.process.kill('SIGKILL');
    await waypost.process.exited;
    waypost = await startWaypost(ENVIRONMENT, folder.path);
  };

  test('gets all of a file', async () => {
    const hostname = await verifiedDomain();
    const path = join(files, 'many.json');
    await writeFile(path, documentOf(COUNT));
    const before = await storedUploads(folder.path);
    const { ended } = startClient(['upload', path, ...options, hostname], { url, key });
    await restart(before);
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Trying again') });
    const listed = await run('sitemaps', hostname, '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ urlCount: COUNT, files: COUNT / 1000 }]);
  });

  test('gets all of a stream, whose producer waits meanwhile', async () => {
    const hostname = await verifiedDomain();
    // The first files of the upload are small ones, and these wait in memory.
    const count = 60_000;
    const document = documentOf(count);
    const half = document.length / 2;
    const before = await storedUploads(folder.path);
    const { child, ended } = startClient(['upload', '-', ...options, hostname], { url, key });
    child.stdin!.write(document.slice(0, half));
    await restart(before);
    child.stdin!.end(document.slice(half));
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Trying again') });
    await vi.waitFor(async () => {
      const last = await fetchLocs(waypost, hostname, `/sitemap.${count / 1000}.xml`);
      expect(last).toEqual(locs(count).slice(-1000));
    }, SOON);
  });
});
