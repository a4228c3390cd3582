/** Processes that start before `migrate` say so. After `migrate` the API recovers without a restart. */
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { SOON } from '../support/soon.ts';
import { customerWith } from './support/customer.ts';
import { logs, PATIENT, runProcess, serves, startProcess } from './support/processes.ts';
import { send } from './support/send.ts';
import { createDatabase } from './support/separate-waypost.ts';
import { createStore, storeSettings } from './support/store.ts';
import { createFolder, runCli } from './support/waypost.ts';

const CURE = /^The database has no schema, and this version needs \d{4}_\w+\. Run npm run migrate\.$/;

const folder = await createFolder();
afterAll(() => folder[Symbol.asyncDispose]());
await createStore(folder.path);
const [apiPort, metricsPort] = [await freePort(), await freePort()];
const settings = {
  DATABASE_URL: await createDatabase(folder.path),
  ...storeSettings(folder.path),
  CNAME_BASE: 'cname.example.net',
  CNAME_SECRET: 'a secret that is kept for ever',
  API_PORT: String(apiPort),
  LOG_LEVEL: 'warn',
  ...PATIENT,
  IDLE_GRACE_MS: '0',
};
const apiUrl = `http://127.0.0.1:${apiPort}`;

async function readiness() {
  const { status, body } = await send(`http://127.0.0.1:${metricsPort}/readyz`);
  return { status, verdict: JSON.parse(body.toString()) };
}

test('the API is not ready before migrate, names the cure, and needs no restart', async () => {
  await using api = startProcess('src/api-server.ts', { ...settings, METRICS_PORT: String(metricsPort) });
  await vi.waitFor(async () => expect((await send(`${apiUrl}/healthz`)).status).toBe(500), SOON);
  expect(await readiness()).toEqual({
    status: 503,
    verdict: {
      status: 'unavailable',
      // Only the database knows whether the store is its own.
      failing: ['database', 'object storage'],
      reasons: { database: expect.stringMatching(CURE) },
    },
  });
  const stranger = customerWith(
    { dataDir: folder.path, apiUrl, hostingUrl: '' },
    '',
    `sk_live_${'a'.repeat(32)}`,
  );
  expect((await stranger.call('GET /api/domains')).status).toBe(500);
  expect(await logs(api, 'not ready')).toMatchObject({ err: { message: expect.stringMatching(CURE) } });

  const jobs = await runProcess('src/job-runner.ts', settings);
  expect(jobs).toMatchObject({ code: 78, stderr: expect.stringMatching(/Run npm run migrate\.\n$/) });

  expect((await runProcess('src/migrate.ts', settings)).code).toBe(0);
  await serves(api, apiUrl);
  expect(await readiness()).toEqual({ status: 200, verdict: { status: 'ready' } });
  const accountId = (await runCli(settings, 'account', 'create', 'early')).stdout.trim();
  const key = (await runCli(settings, 'key', 'create', accountId)).stdout.trim();
  const customer = customerWith({ dataDir: folder.path, apiUrl, hostingUrl: '' }, accountId, key);
  expect((await customer.call('GET /api/domains')).status).toBe(200);
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

test('without a Postgres, migrate and the command line say so in a line', async () => {
  const port = await freePort();
  const nowhere = { ...settings, DATABASE_URL: `postgres://waypost:secret@127.0.0.1:${port}/shop` };
  const failure = {
    code: 78,
    stderr: `No connection to the database shop of the Postgres at 127.0.0.1:${port} as the user waypost: connect ECONNREFUSED 127.0.0.1:${port}. Check DATABASE_URL, and that Postgres runs.\n`,
  };
  expect(await runProcess('src/migrate.ts', nowhere)).toMatchObject(failure);
  expect(await runCli(nowhere, 'account', 'list')).toMatchObject(failure);
});
