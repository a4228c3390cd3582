/** A store that is not that of the database: its disk is not mounted, or the settings name that of another Waypost. */
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { SOON } from '../support/soon.ts';
import { customerWith } from './support/customer.ts';
import { logs, PATIENT, runProcess, serves, startProcess } from './support/processes.ts';
import { send } from './support/send.ts';
import { createDatabase } from './support/separate-waypost.ts';
import { createFolder, runCli } from './support/waypost.ts';

const folder = await createFolder();
afterAll(() => folder[Symbol.asyncDispose]());
const objects = join(folder.path, 'mounted');
const [apiPort, metricsPort] = [await freePort(), await freePort()];
const settings = {
  DATABASE_URL: await createDatabase(folder.path),
  STORAGE_DIR: objects,
  CNAME_BASE: 'cname.example.net',
  CNAME_SECRET: 'a secret that is kept for ever',
  API_PORT: String(apiPort),
  METRICS_PORT: String(metricsPort),
  LOG_LEVEL: 'warn',
  ...PATIENT,
  IDLE_GRACE_MS: '0',
};
const apiUrl = `http://127.0.0.1:${apiPort}`;

async function readiness() {
  const { body } = await send(`http://127.0.0.1:${metricsPort}/readyz`);
  return JSON.parse(body.toString());
}

test('processes leave a folder alone whose disk is not mounted, and go on when it is', async () => {
  expect((await runProcess('src/migrate.ts', settings)).code).toBe(0);
  const accountId = (await runCli(settings, 'account', 'create', 'first')).stdout.trim();
  const key = (await runCli(settings, 'key', 'create', accountId, 'any')).stdout.trim();
  {
    await using api = startProcess('src/api-server.ts', settings);
    await serves(api, apiUrl);
    await vi.waitFor(async () => expect(await readiness()).toEqual({ status: 'ready' }), SOON);
  }
  // The mount point stays when the disk is gone.
  await rename(objects, `${objects}.disk`);
  await mkdir(objects);

  await using api = startProcess('src/api-server.ts', settings);
  await serves(api, apiUrl);
  const refused = /^The object storage has nothing of this database.* Mount its disk/;
  expect(await logs(api, 'not ready')).toMatchObject({ err: { message: expect.stringMatching(refused) } });
  expect(await readiness()).toEqual({
    status: 'unavailable',
    failing: ['object storage'],
    reasons: { 'object storage': expect.stringMatching(refused) },
  });
  const jobs = await runProcess('src/job-runner.ts', settings);
  expect(jobs).toMatchObject({ code: 78, stderr: expect.stringMatching(refused) });
  const doctor = await runCli(settings, 'doctor');
  expect(doctor).toMatchObject({ code: 78, stderr: expect.stringMatching(refused) });
  expect(await readdir(objects)).toEqual([]);

  const customer = customerWith({ dataDir: folder.path, apiUrl, hostingUrl: '' }, accountId, key);
  const domain = { hostname: 'mounted.example.com' };
  expect((await customer.call('POST /api/domains', { body: domain })).status).toBe(201);
  await rmdir(objects);
  await rename(`${objects}.disk`, objects);
  await vi.waitFor(async () => expect(await readiness()).toEqual({ status: 'ready' }), SOON);
});

test('a command makes an empty store that of the database', async () => {
  const other = { ...settings, STORAGE_DIR: join(folder.path, 'replaced') };
  expect(await runCli(other, 'doctor')).toMatchObject({ code: 78 });
  expect(await runCli(other, 'storage', 'adopt')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is that of this database now'),
  });
  expect(await runCli(other, 'doctor')).toMatchObject({ code: 0 });
});
