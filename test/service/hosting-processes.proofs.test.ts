/** One hosting process per core (docs/decisions/0012), and how hosting processes end under load. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { type Hosting, startHosting } from './support/hosting.ts';
import { runProcess } from './support/processes.ts';
import { send } from './support/send.ts';
import { startLoad } from './support/steady-load.ts';
import { isOnS3, storeSettings } from './support/store.ts';
import { useWaypost } from './support/use-waypost.ts';
import { createFolder } from './support/waypost.ts';

const PATH = '/sitemap.xml';

/** Lends its stored files to the hosting processes of these tests. */
const lender = await useWaypost();
const customer = await createCustomer(lender);
const { hostname } = await customer.verifiedDomain();
await customer.publish({ domain: hostname, urls: entries(3000) });
const { body: whole } = await fetchFile(lender, hostname, PATH);

const loadOn = ({ hostingUrl }: Hosting) =>
  startLoad({
    url: hostingUrl + PATH,
    headers: { Host: hostname },
    connections: 32,
    judge: ({ status, body }) => expect([status, body.equals(whole)]).toEqual([200, true]),
  });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('one process alone ends in order at SIGHUP, for whatever starts it again', async () => {
  await using hosting = await startHosting(lender, { HOSTING_PROCESSES: '1' });
  hosting.process.kill('SIGHUP');
  expect(await hosting.process.exited).toEqual({ code: 0, signal: null });
});

describe('two processes on one port', () => {
  test('are all replaced in three rolling restarts, and no request fails', async () => {
    await using hosting = await startHosting(lender, { HOSTING_PROCESSES: '2' });
    const load = loadOn(hosting);
    await load.passes(200);
    for (const restarts of [1, 2, 3]) {
      const before = hosting.logged('listening').map(({ worker }) => worker);
      hosting.process.kill('SIGHUP');
      await vi.waitFor(() => expect(hosting.logged('rolling restart done')).toHaveLength(restarts), SOON);
      // None of the old processes is left.
      expect(before.filter(isAlive)).toEqual([]);
      expect(hosting.logged('rolling restart done').at(-1)?.workers.every(isAlive)).toBe(true);
      await load.passes(200);
    }
    await load.stop();
    expect({ ...load, answers: 0 }).toMatchObject({ lost: [], refused: [], wrong: [] });
    expect(new Set(hosting.logged('listening').map(({ worker }) => worker)).size).toBe(8);
    expect(await hosting.process.stop()).toEqual({ code: 0, signal: null });
  });

  test('a SIGHUP during a rolling restart is followed by one more', async () => {
    await using hosting = await startHosting(lender, { HOSTING_PROCESSES: '2' });
    hosting.process.kill('SIGHUP');
    await vi.waitFor(() => expect(hosting.logged('listening')).toHaveLength(3), SOON);
    hosting.process.kill('SIGHUP');
    await vi.waitFor(() => expect(hosting.logged('rolling restart done')).toHaveLength(2), SOON);
    expect(hosting.logged('listening')).toHaveLength(6);
  });

  test('a killed process is replaced, and the other one continues', async () => {
    await using hosting = await startHosting(lender, { HOSTING_PROCESSES: '2' });
    const [killed] = hosting.logged('listening').map(({ worker }) => worker);
    process.kill(killed!, 'SIGKILL');
    expect((await send(`${hosting.hostingUrl}/healthz`)).status).toBe(200);
    await vi.waitFor(() => expect(hosting.logged('listening')).toHaveLength(3), SOON);
    expect(hosting.logged('a worker ended by itself')).toMatchObject([{ worker: killed, signal: 'SIGKILL' }]);
  });

  test('/readyz of the first process answers 503 with the reason while no process serves', async () => {
    const port = await freePort();
    await using hosting = await startHosting(lender, { HOSTING_PROCESSES: '2', METRICS_PORT: String(port) });
    const readiness = async () => {
      const { status, body } = await send(`http://127.0.0.1:${port}/readyz`);
      return { code: status, ...JSON.parse(body.toString()) };
    };
    const ready = { code: 200, status: 'ready' };
    await vi.waitFor(async () => expect(await readiness()).toEqual(ready), SOON);
    process.kill(hosting.logged('listening')[0]!.worker, 'SIGKILL');
    await vi.waitFor(() => expect(hosting.logged('a worker ended by itself')).toHaveLength(1), SOON);
    expect(await readiness()).toEqual(ready);
    const { body } = await send(`http://127.0.0.1:${port}/metrics`);
    expect(body.toString()).toMatch(/^waypost_hosting_worker_exits_total 1$/m);

    // The pause before each restart is longer than the one before.
    await vi.waitFor(async () => {
      const pids = hosting.logged('listening').map(({ worker }) => worker);
      for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
      expect(await readiness()).toEqual({ code: 503, status: 'unavailable', failing: ['workers'] });
    }, SOON);
    await vi.waitFor(async () => expect(await readiness()).toEqual(ready), SOON);
    expect((await send(`${hosting.hostingUrl}/healthz`)).status).toBe(200);
  });

  test.skipIf(isOnS3)(
    'while new processes cannot start, the old ones continue and starting is retried',
    async () => {
      await using folder = await createFolder();
      const STORAGE_DIR = join(folder.path, 'objects');
      await using hosting = await startHosting(lender, { HOSTING_PROCESSES: '2', STORAGE_DIR });
      await writeFile(STORAGE_DIR, 'no folder');
      hosting.process.kill('SIGHUP');
      await vi.waitFor(() => expect(hosting.logged('rolling restart given up')).toHaveLength(1), SOON);
      const pids = hosting.logged('listening').map(({ worker }) => worker);
      expect(pids.filter(isAlive)).toEqual(pids);

      process.kill(pids[0]!, 'SIGKILL');
      await vi.waitFor(() => expect(hosting.logged('a worker did not start')).toHaveLength(2), SOON);
      expect((await send(`${hosting.hostingUrl}/healthz`)).status).toBe(200);
      await rm(STORAGE_DIR);
      await vi.waitFor(() => expect(hosting.logged('listening')).toHaveLength(3), SOON);
    },
  );

  test.each(['SIGTERM', 'SIGINT'] as const)('%s to all of them at once ends them with 0', async (signal) => {
    await using hosting = await startHosting(lender, { HOSTING_PROCESSES: '2' });
    const pids = hosting.logged('listening').map(({ worker }) => worker);
    for (const pid of [hosting.process.pid, ...pids]) process.kill(pid, signal);
    expect(await hosting.process.exited).toEqual({ code: 0, signal: null });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(hosting.logged('a worker ended by itself')).toEqual([]);
  });

  test('none of them outlives a killed first process', async () => {
    await using hosting = await startHosting(lender, { HOSTING_PROCESSES: '2' });
    hosting.process.kill('SIGKILL');
    const pids = hosting.logged('listening').map(({ worker }) => worker);
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), SOON);
  });

  test('a port in use and wrong settings are reported once, with exit code 78', async () => {
    const settings = { HOSTING_PROCESSES: '2', ...storeSettings(lender.dataDir) };
    const { port } = new URL(lender.hostingUrl);
    const busy = await runProcess('src/hosting-server.ts', { ...settings, HOSTING_PORT: port });
    expect(busy.code).toBe(78);
    expect(busy.stderr).toMatch(/^Port \d+ .*HOSTING_PORT.*\n$/);
    const wrong = await runProcess('src/hosting-server.ts', { HOSTING_PROCESSES: '2', HOSTING_PORT: '0' });
    expect(wrong).toMatchObject({ code: 78, stderr: expect.stringMatching(/^[^\n]*STORAGE_DIR[^\n]*\n$/) });
    const none = await runProcess('src/hosting-server.ts', { HOSTING_PROCESSES: 'many' });
    expect(none).toMatchObject({ code: 78, stderr: expect.stringContaining('HOSTING_PROCESSES') });
  });
});

test('a process that is told to end loses no request on an open connection', async () => {
  await using hosting = await startHosting(lender, {});
  const load = loadOn(hosting);
  await load.passes(200);
  hosting.process.kill('SIGTERM');
  expect(await hosting.process.exited).toEqual({ code: 0, signal: null });
  // Before this point some clients could not connect at all, which is right.
  await load.stop();
  expect({ lost: load.lost, wrong: load.wrong }).toEqual({ lost: [], wrong: [] });
});
