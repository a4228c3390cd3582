/** "Operating it": metrics, readiness and logs of running processes. */
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import type { Process } from '../../tools/start-command.ts';
import { borrow } from '../support/borrow.ts';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { beginUpload, createCustomer, customerWith } from './support/customer.ts';
import { bulkyAt, entries } from './support/entries.ts';
import { type Environment, logs, runProcess, serves, startProcess } from './support/processes.ts';
import { head, openConnection } from './support/raw-connection.ts';
import { send } from './support/send.ts';
import { openBackend } from './support/separate-waypost.ts';
import { createFolder, startWaypost, type Waypost } from './support/waypost.ts';

async function startMeasured(environment: Environment = {}): Promise<{ waypost: Waypost; url: string }> {
  const port = await freePort();
  const waypost = await startWaypost({ METRICS_PORT: String(port), SITE_FRESH_MS: '100', ...environment });
  return { waypost, url: `http://127.0.0.1:${port}` };
}

/** Samples by name and labels, as in `a_total{b="c"}`. */
async function metricsOf(url: string): Promise<{ text: string; value: (name: string) => number }> {
  const { status, headers, body } = await send(`${url}/metrics`);
  expect({ status, type: headers['content-type'] }).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
  });
  const text = body.toString();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const samples = new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
  return { text, value: (name) => samples.get(name) ?? 0 };
}

async function readiness(url: string) {
  const { status, body } = await send(`${url}/readyz`);
  return { status, ...JSON.parse(body.toString()) };
}

test('uploads, requests, crawls, store, database and jobs are counted, without customer names', async () => {
  const { waypost, url } = await startMeasured();
  await using _ = waypost;
  const customer = customerWith(waypost, '', waypost.demoKey);
  const { hostname, id } = await customer.verifiedDomain();
  const connectionString = await readFile(join(waypost.dataDir, 'postgres', 'url'), 'utf8');
  const client = new pg.Client({ connectionString });
  await client.connect();
  await vi.waitFor(async () => {
    const { value } = await metricsOf(url);
    expect(value('waypost_certificate_attempts_total{outcome="issued"}')).toBe(1);
    // The metric comes from Postgres. A count is made again after a thousand times as long as it took, which a busy machine stretches.
    await client.query('UPDATE counts SET seconds = 0');
    expect(value('waypost_certificate_days_left')).toBeGreaterThan(40);
  }, SOON);
  await client.end();
  await customer.publish({ domain: hostname, urls: entries(2500, bulkyAt) });
  const nonsense = await customer.upload({ domain: hostname, urls: [{ loc: 'nonsense' }] });
  expect(nonsense.status).toBe(422);
  for (const path of ['/sitemap.xml', '/sitemap.xml', '/unknown']) await fetchFile(waypost, hostname, path);

  // A request is counted after its answer is sent, so the client may be ahead of the counter.
  await vi.waitFor(async () => {
    const { value } = await metricsOf(url);
    expect(value('waypost_api_request_duration_seconds_count{status="4xx"}')).toBe(1);
  }, SOON);
  const { text, value } = await metricsOf(url);
  expect(value('waypost_upload_duration_seconds_count{outcome="accepted"}')).toBe(1);
  expect(value('waypost_upload_duration_seconds_count{outcome="refused"}')).toBe(1);
  expect(value('waypost_upload_urls_total')).toBe(2500);
  expect(value('waypost_upload_received_bytes_total')).toBeGreaterThan(2500 * 20);
  expect(value('waypost_uploads_under_way')).toBe(0);
  expect(value('waypost_api_refusals_total{code="VALIDATION_ERROR"}')).toBe(1);
  expect(value('waypost_api_request_duration_seconds_count{status="2xx"}')).toBe(3);
  expect(value('waypost_render_busy_seconds_total')).toBeGreaterThan(0);
  expect(value('waypost_render_threads')).toBeGreaterThan(0);
  // The fast path takes all entries but the refused one.
  expect(value('waypost_render_entries_total{path="kernel"}')).toBe(2500);
  expect(value('waypost_render_entries_total{path="normative"}')).toBe(1);
  expect(
    value('waypost_object_store_operation_duration_seconds_count{operation="putNew",outcome="done"}'),
  ).toBe(1);
  expect(value('waypost_database_query_duration_seconds_count{outcome="done"}')).toBeGreaterThan(10);
  expect(value('waypost_database_connections')).toBeGreaterThan(0);
  // One for the verification, one for the upload, and one for the certificate.
  expect(value('waypost_publish_delay_seconds_count')).toBe(3);
  expect(value('waypost_hosting_answers_total{status="200"}')).toBe(2);
  expect(value('waypost_hosting_answers_total{status="404"}')).toBe(1);
  expect(value('waypost_hosting_answer_duration_seconds_count')).toBe(3);
  expect(value('waypost_hosting_cache_requests_total{cache="files",result="miss"}')).toBe(1);
  expect(value('waypost_hosting_cache_requests_total{cache="inflated",result="hit"}')).toBe(1);
  expect(value('waypost_hosting_cache_bytes{cache="objects"}')).toBeGreaterThan(0);
  expect(value('nodejs_eventloop_lag_seconds')).toBeGreaterThan(0);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(0);
  for (const name of [hostname, id, waypost.demoKey, 'upload_']) {
    expect(text.replaceAll(/waypost_upload_|# .*/g, '')).not.toContain(name);
  }
  await vi.waitFor(async () => {
    const { value } = await metricsOf(url);
    expect(value('waypost_comparison_duration_seconds_count{outcome="first"}')).toBe(1);
  }, SOON);
  expect((await metricsOf(url)).value('waypost_publish_delay_seconds_count')).toBe(3);
});

test('/readyz names everything that is unreachable, and /healthz says that the process is alive', async () => {
  const { waypost, url } = await startMeasured({ LOG_LEVEL: 'info' });
  await using _ = waypost;
  expect(await readiness(url)).toEqual({ status: 'ready' });
  const objects = join(waypost.dataDir, 'objects');
  await rename(objects, `${objects}.away`);
  expect(await send(`${url}/readyz`)).toMatchObject({ status: 503 });
  expect(await readiness(url)).toEqual({ status: 'unavailable', failing: ['object storage'] });
  expect((await send(`${url}/healthz`)).status).toBe(200);
  await rename(`${objects}.away`, objects);
  expect(await readiness(url)).toEqual({ status: 'ready' });
  for (const [path, method, status] of [
    ['/none', 'GET', 404],
    ['/metrics', 'POST', 405],
    ['/readyz', 'HEAD', 200],
  ] as const) {
    expect(await send(url + path, { method })).toMatchObject({ status });
  }
  const said = () => waypost.process.stderr().match(/^.*object storage.*$/gm) ?? [];
  const messages = () => said().map((line) => JSON.parse(line).msg);
  await vi.waitFor(() => expect(messages()).toEqual(['not ready', 'reachable again']), SOON);
});

test('an upload counts as abandoned when its client goes or is killed in the middle', async () => {
  const { waypost, url } = await startMeasured({ LOG_LEVEL: 'info' });
  await using _ = waypost;
  const customer = customerWith(waypost, '', waypost.demoKey);
  const { hostname } = await customer.verifiedDomain();
  const body = `{"domain":"${hostname}","urls":[{"loc":"https://example.com/"},`;
  const headers = { Host: 'api', 'X-API-Key': customer.key, 'Content-Type': 'application/json' };
  const framings = [
    head('POST /api/sitemap/generate', { ...headers, 'Content-Length': 1000 }) + body,
    `${head('POST /api/sitemap/generate', { ...headers, 'Transfer-Encoding': 'chunked' })}${body.length.toString(16)}\r\n${body}\r\n`,
  ];
  // When a process is killed, the kernel closes its connections; with nothing to read, this is what `destroy` does.
  const ways = ['destroy', 'resetAndDestroy'] as const;
  for (const [n, { framing, way }] of framings
    .flatMap((framing) => ways.map((way) => ({ framing, way })))
    .entries()) {
    const { socket } = await openConnection(waypost.apiUrl);
    socket.write(framing);
    await vi.waitFor(
      async () => expect((await metricsOf(url)).value('waypost_uploads_under_way')).toBe(1),
      SOON,
    );
    socket[way]();
    await vi.waitFor(async () => {
      const { value } = await metricsOf(url);
      expect(value('waypost_upload_duration_seconds_count{outcome="abandoned"}')).toBe(n + 1);
    }, SOON);
  }
  expect((await metricsOf(url)).text).not.toContain('outcome="refused"');
  await vi.waitFor(() => expect(waypost.process.stderr().match(/client gone/g)).toHaveLength(4), SOON);
  expect(waypost.process.stderr()).not.toContain('upload refused');
});

test('/readyz answers 503 while a process finishes its work', async () => {
  const { waypost, url } = await startMeasured({ API_GRACE_MS: '1000' });
  await using _ = waypost;
  const customer = customerWith(waypost, '', waypost.demoKey);
  const { hostname } = await customer.verifiedDomain();
  const upload = await beginUpload(customer, hostname);
  await vi.waitFor(
    async () => expect((await metricsOf(url)).value('waypost_uploads_under_way')).toBe(1),
    SOON,
  );
  waypost.process.kill('SIGTERM');
  await vi.waitFor(async () => expect(await readiness(url)).toEqual({ status: 'draining' }), SOON);
  expect(await send(`${url}/readyz`)).toMatchObject({ status: 503 });
  expect((await send(`${url}/healthz`)).status).toBe(200);
  expect(await waypost.process.exited).toEqual({ code: 0, signal: null });
  await upload.ended;
});

test('the first hosting process adds up the counters of all', async () => {
  await using folder = await createFolder();
  // Hosting waits for a folder that the API has made.
  await mkdir(join(folder.path, '.incoming'));
  const [port, metricsPort] = [await freePort(), await freePort()];
  await using hosting = startProcess('src/hosting-server.ts', {
    STORAGE_DIR: folder.path,
    HOSTING_PORT: String(port),
    METRICS_PORT: String(metricsPort),
    HOSTING_PROCESSES: '2',
    IDLE_GRACE_MS: '0',
  });
  const url = `http://127.0.0.1:${metricsPort}`;
  await vi.waitFor(async () => expect(await readiness(url)).toEqual({ status: 'ready' }), SOON);
  for (let n = 0; n < 20; n++) {
    await fetchFile({ hostingUrl: `http://127.0.0.1:${port}` }, 'none.example', '/sitemap.xml');
  }
  const { value } = await metricsOf(url);
  expect(value('waypost_hosting_answers_total{status="404"}')).toBe(20);
  expect(value('waypost_hosting_answer_duration_seconds_bucket{le="+Inf"}')).toBe(20);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(0);
  expect(await hosting.stop()).toEqual({ code: 0, signal: null });
});

test('a METRICS_PORT that is in use is named', async () => {
  await using folder = await createFolder();
  const { port } = new URL(await borrow('postgres'));
  const settings = { STORAGE_DIR: folder.path, HOSTING_PORT: '0', METRICS_PORT: port };
  const { code, stderr } = await runProcess('src/hosting-server.ts', settings);
  expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining('METRICS_PORT') });
});

describe('logs', () => {
  const PASSWORD = 'Passw0rd-that-nobody-may-see';
  const SECRETS = {
    CNAME_SECRET: 'cname-secret-that-nobody-may-see',
    S3_ACCESS_KEY: 'AKIATHATNOBODYMAYSEE',
    S3_SECRET_KEY: 's3-secret-that-nobody-may-see',
  };
  const DEAD_STORE = {
    STORAGE_DIR: '',
    S3_ENDPOINT: 'http://127.0.0.1:9',
    S3_BUCKET: 'bucket',
    S3_ACCESS_KEY: SECRETS.S3_ACCESS_KEY,
    S3_SECRET_KEY: SECRETS.S3_SECRET_KEY,
  };

  /** A role of its own on the test's Postgres. Its password is easy to recognise. */
  async function createRole(serverUrl: string) {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    const name = `role_${Date.now()}`;
    await client.query(`CREATE ROLE ${name} LOGIN SUPERUSER PASSWORD '${PASSWORD}'`);
    const drop = async () => {
      await client.query(`DROP ROLE ${name}`);
      await client.end();
    };
    return { name, [Symbol.asyncDispose]: drop };
  }

  test('name the request and the upload of every upload, and hold no secret in any failure', async () => {
    await using folder = await createFolder();
    const backend = await openBackend(folder.path);
    await using _ = backend.dns;
    await using role = await createRole(await borrow('postgres'));
    const own = (password: string) =>
      Object.assign(new URL(backend.settings.DATABASE_URL!), { username: role.name, password }).href;
    const [apiPort, hostingPort] = [await freePort(), await freePort()];
    const shared = {
      ...backend.settings,
      DATABASE_URL: own(PASSWORD),
      CNAME_SECRET: SECRETS.CNAME_SECRET,
      LOG_LEVEL: 'trace',
      API_PORT: String(apiPort),
      HOSTING_PORT: String(hostingPort),
      METRICS_PORT: '0',
      IDLE_GRACE_MS: '0',
    };
    const addresses = {
      dataDir: folder.path,
      dns: backend.dns,
      apiUrl: `http://127.0.0.1:${apiPort}`,
      hostingUrl: `http://127.0.0.1:${hostingPort}`,
    };
    const outputs: string[] = [];
    const run = async (
      script: string,
      environment: Environment,
      work: (process: Process) => Promise<void>,
    ) => {
      const process = startProcess(script, environment);
      await work(process).finally(() => process.stop());
      outputs.push(process.stdout() + process.stderr());
    };

    const customer = await createCustomer(addresses);
    let hostname = '';
    const upload = (urls: unknown) =>
      customer.upload({ domain: hostname, urls }, { headers: { Authorization: `Bearer ${customer.key}` } });

    await run('src/api-server.ts', shared, async (api) => {
      await serves(api, addresses.apiUrl);
      ({ hostname } = await customer.verifiedDomain('maps.logged.example.com'));
      const accepted = await upload(entries(2500));
      const refused = await upload([{ loc: 'nonsense' }]);
      const unknown = await customer.call('GET /api/domains', {
        headers: { 'X-API-Key': 'sk_live_unknown' },
      });
      expect([accepted.status, refused.status, unknown.status]).toEqual([200, 422, 401]);
      expect(await logs(api, 'upload accepted')).toMatchObject({
        requestId: accepted.headers['x-request-id'],
        uploadId: expect.stringMatching(/^upload_/),
        urls: 2500,
        files: 1,
        bytes: expect.any(Number),
        durationMs: expect.any(Number),
      });
      expect(await logs(api, 'upload refused')).toMatchObject({
        requestId: refused.headers['x-request-id'],
        uploadId: expect.stringMatching(/^upload_/),
        code: 'VALIDATION_ERROR',
        accountId: customer.accountId,
        keyId: expect.stringMatching(/^key_/),
        hostname,
        field: 'urls[0].loc',
      });
    });
    await run('src/api-server.ts', { ...shared, ...DEAD_STORE }, async (api) => {
      await serves(api, addresses.apiUrl);
      const failed = await upload(entries(5));
      expect(failed.status).toBe(500);
      expect(await logs(api, 'request failed')).toMatchObject({
        requestId: failed.headers['x-request-id'],
        uploadId: expect.stringMatching(/^upload_/),
        err: { message: expect.any(String), cause: expect.anything() },
      });
    });
    await run('src/hosting-server.ts', { ...shared, ...DEAD_STORE }, async (hosting) => {
      await serves(hosting, addresses.hostingUrl);
      const answer = await fetchFile(addresses, hostname, '/sitemap.xml');
      expect(answer.status).toBe(503);
      expect(await logs(hosting, 'answered 503')).toMatchObject({
        requestId: answer.headers['x-request-id'],
        host: hostname,
      });
    });
    // A wrong password.
    const wrong = { ...shared, DATABASE_URL: own(`${PASSWORD}-not`) };
    await run('src/api-server.ts', wrong, async (api) => {
      await logs(api, 'listening');
      const answer = await customer.call('GET /api/domains');
      expect(answer.status).toBe(500);
      expect(await logs(api, 'request failed')).toMatchObject({
        requestId: answer.headers['x-request-id'],
        err: { message: expect.stringContaining(role.name) },
      });
    });
    for (const [script, ...args] of [
      ['src/job-runner.ts'],
      ['src/migrate.ts'],
      ['src/cli.ts', 'doctor'],
      ['src/cli.ts', 'account', 'list'],
    ] as const) {
      const process = startProcess(script, { ...wrong, METRICS_PORT: '' }, args);
      const isOver = script !== 'src/job-runner.ts';
      if (isOver) expect((await process.exited).code, script).not.toBe(0);
      else await vi.waitFor(() => expect(process.stderr()).toContain('password authentication failed'), SOON);
      await process.stop();
      outputs.push(process.stdout() + process.stderr());
    }
    const dead = await runProcess('src/cli.ts', { ...shared, ...DEAD_STORE }, ['doctor']);
    expect(dead.code).toBe(1);
    outputs.push(dead.stdout + dead.stderr);

    const whole = outputs.join('\n');
    expect(whole.length).toBeGreaterThan(5000);
    for (const secret of [
      PASSWORD,
      ...Object.values(SECRETS),
      customer.key,
      'Bearer ',
      'AWS4-HMAC',
      'sk_live',
    ]) {
      for (const form of [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)]) {
        const line = whole.split('\n').find((text) => text.includes(form));
        expect(line, secret).toBeUndefined();
      }
    }
  });
});
