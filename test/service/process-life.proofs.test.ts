import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test as sequentialTest, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile, fetchLocs } from './support/crawler.ts';
import { beginUpload, createCustomer, customerWith } from './support/customer.ts';
import { bulkyAt, entries, entryAt, uploadDocument } from './support/entries.ts';
import type { Environment } from './support/processes.ts';
import { send } from './support/send.ts';
import { storedObjects } from './support/store.ts';
import { createDataFolder, createFolder, startWaypost, type Waypost } from './support/waypost.ts';

/** Most of the time is spent waiting for processes. */
const test = sequentialTest.concurrent;

/** The pid of the Postgres in a folder. */
async function postgresPid(dataDir: string): Promise<number> {
  const path = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
  return Number.parseInt(await readFile(path, 'utf8'), 10);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function isReadable(waypost: Waypost, hostname: string, count: number) {
  await vi.waitFor(async () => {
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(count);
  }, SOON);
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends everything with 0, and a second start finds all of it',
  async (signal) => {
    await using folder = await createFolder();
    const first = await startWaypost({}, folder.path);
    const customer = await createCustomer(first);
    const { hostname, id } = await customer.verifiedDomain();
    await customer.publish({ domain: hostname, urls: entries(5) });
    const postgres = await postgresPid(folder.path);
    expect(isAlive(postgres)).toBe(true);
    // An idle connection of a crawler does not delay the end.
    await fetchFile(first, hostname, '/sitemap.xml');
    first.process.kill(signal);
    expect(await first.process.exited).toEqual({ code: 0, signal: null });
    expect(first.process.stderr()).toBe('');
    expect(isAlive(postgres)).toBe(false);

    await using second = await startWaypost({}, folder.path);
    expect(second.demoKey).toBe(first.demoKey);
    const again = customerWith(second, customer.accountId, customer.key);
    await isReadable(second, hostname, 5);
    await vi.waitFor(async () => {
      const { json } = await again.call(`GET /api/domains/${id}`);
      expect(json.data).toMatchObject({ status: 'active', urlCount: 5 });
    }, SOON);
    await again.publish({ domain: hostname, sitemapName: 'more', urls: entries(1) });
  },
);

test('an upload too slow for the drain gets 503, and nothing is published', async () => {
  await using folder = await createDataFolder();
  const waypost = await startWaypost({ API_GRACE_MS: '1' }, folder.path);
  const customer = customerWith(waypost, '', waypost.demoKey);
  const { hostname } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(5) });
  const upload = await beginUpload(customer, hostname);
  const postgres = await postgresPid(waypost.dataDir);
  waypost.process.kill('SIGTERM');
  const answer = await upload.ended;
  expect(answer).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.stringMatching(/^\d+$/), connection: 'close' },
    json: { error: { code: 'SERVICE_UNAVAILABLE' } },
  });
  expect(await waypost.process.exited).toEqual({ code: 0, signal: null });
  expect(isAlive(postgres)).toBe(false);
  expect(waypost.process.stderr()).toBe('');

  await using again = await startWaypost({}, folder.path);
  await isReadable(again, hostname, 5);
});

test('an upload that ends in time is accepted during the drain', async () => {
  await using folder = await createDataFolder();
  const waypost = await startWaypost({}, folder.path);
  const customer = customerWith(waypost, '', waypost.demoKey);
  const { hostname } = await customer.verifiedDomain();
  async function* untilClosed() {
    yield* Array.from(uploadDocument({ domain: hostname }, 3000)).slice(0, -1);
    waypost.process.kill('SIGTERM');
    await vi.waitFor(async () => await expect(send(`${waypost.apiUrl}/healthz`)).rejects.toThrow(), SOON);
    yield Buffer.from(']}');
  }
  const answer = await customer.upload(untilClosed());
  expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect(await waypost.process.exited).toEqual({ code: 0, signal: null });

  await using again = await startWaypost({}, folder.path);
  await isReadable(again, hostname, 3000);
});

test('a restart after kill -9, even during an upload, finds everything that was published', async () => {
  await using folder = await createDataFolder();
  const first = await startWaypost({}, folder.path);
  const customer = await createCustomer(first);
  const { hostname } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(5) });
  async function* cutShort() {
    const parts = Array.from(
      uploadDocument({ domain: hostname, sizeLimit: 'gsc-optimized' }, 20_000, bulkyAt),
    );
    yield* parts.slice(0, 15);
    await vi.waitFor(async () => {
      expect((await storedObjects(folder.path, 'uploads/')).length).toBeGreaterThan(4);
    }, SOON);
    first.process.kill('SIGKILL');
    await new Promise(() => {});
  }
  await expect(customer.upload(cutShort())).rejects.toThrow();
  await first.process.exited;

  await using second = await startWaypost({}, folder.path);
  const again = customerWith(second, customer.accountId, customer.key);
  await isReadable(second, hostname, 5);
  const { json } = await again.call('GET /api/domains');
  expect(json.data).toMatchObject([{ urlCount: 5, sitemapCount: 1 }]);
  await again.publish({ domain: hostname, urls: entries(6) });
  await isReadable(second, hostname, 6);
});

describe('spec D21 when the database is down', () => {
  async function runningWithSitemap(environment: Environment) {
    const waypost = await startWaypost(environment);
    const customer = customerWith(waypost, '', waypost.demoKey);
    // The machine may stall for longer than the database may take here.
    const hostname = await vi.waitFor(async () => {
      const domain = await customer.verifiedDomain();
      await customer.publish({ domain: domain.hostname, urls: [entryAt(0)] });
      return domain.hostname;
    }, SOON);
    return { waypost, customer, hostname };
  }

  test('the API answers 500 with Retry-After, hosting goes on, and Postgres starts again', async () => {
    const { waypost, customer, hostname } = await runningWithSitemap({ LOG_LEVEL: 'silent' });
    await using _ = waypost;
    const frozen = await freeze(await postgresPid(waypost.dataDir));
    // Without its folder, Postgres cannot start again for as long as this test looks at the API.
    const cluster = join(waypost.dataDir, 'postgres/cluster');
    await rename(cluster, `${cluster}.away`);
    // The parent is the last. As soon as it is dead, pids of its dead children may be gone.
    for (const pid of frozen.reverse()) process.kill(pid, 'SIGKILL');
    await vi.waitFor(async () => {
      expect((await send(`${waypost.apiUrl}/healthz`)).status).toBe(500);
    }, SOON);
    for (const route of ['GET /api/domains', 'POST /api/domains', 'POST /api/sitemap/generate']) {
      const { status, headers, json } = await customer.call(
        route,
        route.startsWith('POST') ? { body: {} } : {},
      );
      expect({ route, status, code: json.error.code }).toEqual({
        route,
        status: 500,
        code: 'INTERNAL_ERROR',
      });
      expect(headers['retry-after']).toMatch(/^\d+$/);
      expect(JSON.stringify(json)).not.toMatch(/postgres|ECONN|127\.0\.0\.1/i);
    }
    expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(200);
    expect((await send(`${waypost.hostingUrl}/healthz`)).status).toBe(200);

    await rename(`${cluster}.away`, cluster);
    await vi.waitFor(async () => {
      expect((await customer.call('GET /api/domains')).status).toBe(200);
    }, SOON);
    await customer.publish({ domain: hostname, urls: entries(2) });
    await isReadable(waypost, hostname, 2);
  });

  test('the API answers also while the database is only silent', async () => {
    const { waypost, customer, hostname } = await runningWithSitemap({
      LOG_LEVEL: 'silent',
      DATABASE_TIMEOUT_MS: '2000',
    });
    await using _ = waypost;
    await whileSilent(waypost, async () => {
      const { status, headers } = await customer.call('GET /api/domains');
      expect(status).toBe(500);
      expect(headers['retry-after']).toMatch(/^\d+$/);
      expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(200);
    });
    await vi.waitFor(async () => expect((await customer.call('GET /api/domains')).status).toBe(200), SOON);
  });

  test('a silence within DATABASE_TIMEOUT_MS fails nothing', async () => {
    const { waypost, customer } = await runningWithSitemap({ DATABASE_TIMEOUT_MS: '30000' });
    await using _ = waypost;
    // Longer than the default, than an idle transaction may be by default, and than a lease waits for its renewal.
    const asked = await whileSilent(waypost, async () => {
      const call = customer.call('GET /api/domains');
      await delay(8000);
      return { call };
    });
    expect((await asked.call).status).toBe(200);
    expect(waypost.process.stderr()).toBe('');
  });

  async function whileSilent<Result>({ dataDir }: Waypost, work: () => Promise<Result>): Promise<Result> {
    const frozen = await freeze(await postgresPid(dataDir));
    try {
      return await work();
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGCONT');
    }
  }
});

/**
 * Stops a process and its children. Returns their pids, the parent first. While the parent is stopped, it starts no child, and
 * the pid of a child that ends stays.
 */
async function freeze(parent: number): Promise<number[]> {
  process.kill(parent, 'SIGSTOP');
  const children = await childrenOf(parent);
  for (const pid of children) process.kill(pid, 'SIGSTOP');
  return [parent, ...children];
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return Number(line.slice(line.lastIndexOf(')') + 4).split(' ')[0]);
    }),
  );
  return pids.filter((_, i) => parents[i] === parent);
}
