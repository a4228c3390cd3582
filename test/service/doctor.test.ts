/**
 * "Operating it": the doctor finds what the store lost, and a rebuild restores everything that can be written again.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile, fetchIndex, fetchLocs, isGone } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { bulkyAt, entries } from './support/entries.ts';
import { removeStored, storedUploads, writeStored } from './support/store.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

// Hosting logs missing files, as it should. So does a comparison, if it comes late.
const EXPECTED = ['a published file is missing', 'uploads could not be compared'];
const waypost = await useOwnWaypost({}, (line) => EXPECTED.some((text) => line.includes(text)));
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();
const other = await customer.verifiedDomain();
await customer.publish({ domain: hostname, sizeLimit: 'gsc-optimized', urls: entries(2500) });
// The store also has a list of rejected entries.
const urls = [...entries(5), { loc: 'x' }];
await customer.publish({ domain: other.hostname, onInvalid: 'skip', maxRejected: 1, urls });

const { dataDir } = waypost;
const run = (...args: string[]) => runCli(waypost.settings, ...args);

/** Waits until all changes are settled. An open change has its site written again, and that mends the damage of a test. */
async function sitesAreWritten() {
  const client = new pg.Client({
    connectionString: await readFile(join(dataDir, 'postgres', 'url'), 'utf8'),
  });
  await client.connect();
  try {
    await vi.waitFor(async () => {
      const { rowCount } = await client.query('SELECT FROM site_changes');
      expect(rowCount).toBe(0);
    }, SOON);
  } finally {
    await client.end();
  }
}

test('the doctor reports lost and damaged site.json files, and a rebuild restores them', async () => {
  await sitesAreWritten();
  const well = await run('doctor');
  expect(well).toMatchObject({ code: 0, stdout: expect.stringContaining('all is well') });

  // All of these sites is in site.json: their files are small.
  expect(await storedUploads(dataDir)).toEqual([]);
  await removeStored(dataDir, `sites/${other.hostname}/site.json`);
  await writeStored(dataDir, `sites/${hostname}/site.json`, '{"hostname":');

  const ill = await run('doctor');
  expect(ill.code).toBe(1);
  expect(ill.stdout).toMatch(/missing object: 1\. What helps: site rebuild/);
  expect(ill.stdout).toMatch(/damaged object: 1\. What helps: site rebuild/);
  const one = await run('doctor', `${other.hostname.toUpperCase()}.`);
  expect(one.code).toBe(1);
  expect(one.stdout).not.toContain(hostname);

  const rebuilt = await run('site', 'rebuild', hostname);
  expect(rebuilt).toMatchObject({ code: 0, stdout: expect.stringContaining(hostname) });
  expect((await run('doctor', hostname)).code).toBe(0);
  expect((await run('doctor')).code).toBe(1);
  // A folder in the place of an object: it can be neither read nor written.
  await mkdir(join(dataDir, 'objects/sites', other.hostname, 'site.json'), { recursive: true });
  expect(await run('site', 'rebuild', '--all')).toMatchObject({
    code: 1,
    stdout: '1 site written again, and 1 failed.\n',
    stderr: expect.stringContaining(`${other.hostname}: `),
  });
  await rm(join(dataDir, 'objects/sites', other.hostname), { recursive: true });
  expect(await run('site', 'rebuild', '--all')).toMatchObject({
    code: 0,
    stdout: '2 sites written again.\n',
  });
  expect(await run('doctor')).toMatchObject({ code: 0, stderr: '' });

  await vi.waitFor(async () => {
    // The URL has the port of this process: the command finds it beside a running all in one without being told.
    const index = await fetchIndex(waypost, hostname, '/sitemap-index.xml');
    expect(index[0]?.loc).toBe(`http://${hostname}/sitemap.1.xml`);
    expect(await fetchLocs(waypost, hostname, '/sitemap.3.xml')).toHaveLength(500);
    expect(await fetchLocs(waypost, other.hostname, '/sitemap.xml')).toHaveLength(5);
  }, SOON);
});

test('a rebuild does not bring back what was deleted', async () => {
  const { id, hostname } = await customer.verifiedDomain();
  const upload = { domain: hostname, sitemapName: 'p', sizeLimit: 'gsc-optimized' };
  await customer.publish({ ...upload, urls: entries(2500) });
  expect((await customer.call(`DELETE /api/domains/${id}/sitemaps/p`)).status).toBe(200);
  await customer.publish({ ...upload, urls: entries(1) });
  expect(await run('site', 'rebuild', hostname)).toMatchObject({ code: 0 });
  await isGone(waypost, hostname, '/sitemap-p.3.xml');
  expect(await fetchLocs(waypost, hostname, '/sitemap-p.xml')).toHaveLength(1);
});

test('the doctor names a lost or damaged file, and the same upload by force mends it', async () => {
  const before = await storedUploads(dataDir);
  const { hostname } = await customer.verifiedDomain();
  const upload = { domain: hostname, sizeLimit: 'gsc-optimized', urls: entries(2000, bulkyAt) };
  await customer.publish(upload);
  const [uploadId = ''] = (await storedUploads(dataDir)).filter((name) => !before.includes(name));
  await removeStored(dataDir, `uploads/${uploadId}/1.xml.gz`);
  await writeStored(dataDir, `uploads/${uploadId}/2.xml.gz`, 'x');
  await writeStored(dataDir, `uploads/${uploadId}/stray.txt`, 'x');
  const { code, stdout } = await run('doctor', hostname);
  expect(code).toBe(1);
  for (const name of ['1.xml.gz', '2.xml.gz', 'stray.txt'])
    expect(stdout).toContain(`uploads/${uploadId}/${name}`);
  expect(stdout).toMatch(/missing file: 1\. .*upload/);
  expect(stdout).toMatch(/damaged file: 1\. .*upload/);
  expect(stdout).toMatch(/extra object: 1\./);
  await customer.publish({ ...upload, force: true });
  expect(await run('doctor')).toMatchObject({ code: 0 });
  expect((await fetchFile(waypost, hostname, '/sitemap.1.xml')).status).toBe(200);
});

test('an unknown name is refused with 78, and the help names the exit codes', async () => {
  for (const args of [
    ['doctor', 'none.example'],
    ['site', 'rebuild', 'none.example'],
  ]) {
    const refused = await run(...args);
    expect(refused).toMatchObject({ code: 78, stderr: 'There is no domain none.example.\n' });
  }
  for (const args of [[], ['--all', hostname]]) {
    expect((await run('site', 'rebuild', ...args)).code).toBe(78);
  }
  // The exit code 1 of doctor means that a problem was found.
  for (const args of [['doctor', '--wrong'], ['doctor', 'a', 'b'], ['wrong']]) {
    expect(await run(...args)).toMatchObject({
      code: 78,
      stdout: '',
      stderr: expect.stringMatching(/^error: /),
    });
  }
  const help = await run('doctor', '--help');
  expect(help.code).toBe(0);
  expect(help.stdout).toMatch(/Exit codes: 0 .*1 .*78/);
});
