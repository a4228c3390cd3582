/** Schedules and their hooks, by the API. */
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { runDashboard } from '../dashboard/running-dashboard.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createKey } from '../support/create-key.ts';
import { auditEventsOf } from '../support/people.ts';

const { database, ask, log } = await runDashboard();
const accountId = await addAccount(database, 'business');
const domain = await addVerifiedDomain(database, accountId);
const { key } = await createKey(database, newId, accountId, 'deploy');
const headers = { 'X-API-Key': key };
const call = (route: string, body?: object) => ask(route, { headers, ...(body && { body }) });
const place = (name: string) => `/api/domains/${domain.id}/sitemaps/${name}/schedule`;

const LOAD = { sources: ['https://www.example.com/feed.csv?token=secret'], form: 'csv', skipLines: 1 };
const DAILY = { cron: '0  6 * * *', timezone: 'Europe/Berlin', load: LOAD };

test('a schedule is set, shown, changed, paused, listed and deleted', async () => {
  const { status, json } = await call(`PUT ${place('products')}`, DAILY);
  expect(status).toBe(200);
  expect(json.data).toMatchObject({
    ...{
      sitemapName: 'products',
      cron: '0 6 * * *',
      words: 'Every day at 06:00 Europe/Berlin',
      enabled: true,
    },
    ...{ hook: false, asked: false, waiting: false, uploadId: null, failures: 0, runs: [] },
    load: {
      ...{ sources: ['https://www.example.com/feed.csv?…'], form: 'csv', skipLines: 1 },
      ...{ onMissing: 'fail', sizeLimit: 'standard' },
    },
  });
  const hours = json.data.nextRuns.map((at: string) =>
    new Date(at).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' }),
  );
  expect(hours).toEqual(['06:00', '06:00', '06:00']);
  // The shown load can be sent again.
  await call(`PUT ${place('products')}`, { ...DAILY, load: json.data.load });
  const { rows } = await database.query('SELECT asked FROM schedules');
  expect(rows[0].asked.sources).toEqual(LOAD.sources);

  const paused = await call(`PATCH ${place('products')}`, { enabled: false });
  expect(paused.json.data).toMatchObject({ enabled: false, nextRuns: [], cron: '0 6 * * *' });
  const resumed = await call(`PATCH ${place('products')}`, { enabled: true, timezone: 'UTC' });
  expect(resumed.json.data).toMatchObject({ words: 'Every day at 06:00 UTC' });
  // The time zone stays while there are no times.
  await call(`PATCH ${place('products')}`, { cron: null, timezone: 'Europe/Paris' });
  const again = await call(`PATCH ${place('products')}`, { cron: '0 6 * * *' });
  expect(again.json.data).toMatchObject({ words: 'Every day at 06:00 Europe/Paris' });
  await call(`PATCH ${place('products')}`, { timezone: 'UTC' });
  await call(`PUT ${place('default')}`, { load: { sources: ['https://www.example.com/sitemap.xml'] } });
  const list = await call(`GET /api/domains/${domain.id}/schedules`);
  expect(list.json.data.map(({ sitemapName, words }: never) => [sitemapName, words])).toEqual([
    ['default', null],
    ['products', 'Every day at 06:00 UTC'],
  ]);
  const unstorable = { load: { ...LOAD, connection: 'a\0' } };
  expect((await call(`PUT ${place('products')}`, unstorable)).status).toBe(422);
  expect((await call(`DELETE ${place('products')}`)).status).toBe(200);
  expect((await call(`GET ${place('products')}`)).json.error.message).toBe('The sitemap has no schedule.');
  const actions = (await auditEventsOf(database, accountId)).map(({ action }) => action);
  expect(actions.filter((action) => action.startsWith('schedule.'))).toEqual([
    ...Array(8).fill('schedule.set'),
    'schedule.deleted',
  ]);
});

test.for([
  [{ ...DAILY, cron: '0 6 * *' }, 'cron'],
  [{ ...DAILY, cron: '*/10 * * * *' }, 'cron'],
  [{ ...DAILY, timezone: 'Mars/Olympus' }, 'timezone'],
  [{ load: LOAD, timezone: '+02:00' }, 'timezone'],
  [{ ...DAILY, enabled: 'yes' }, 'enabled'],
  [{ cron: '0 6 * * *' }, 'load'],
  [{ load: [] }, 'load'],
  [{ load: { ...LOAD, ifGeneration: 3 } }, 'load.ifGeneration'],
  [{ load: { ...LOAD, force: true } }, 'load.force'],
  [{ load: { ...LOAD, domain: 'a.example.com' } }, 'load.domain'],
  [{ load: { sources: ['ftp://example.com/'] } }, 'load.sources'],
  [{ load: { ...LOAD, sizeLimit: 'huge' } }, 'load.sizeLimit'],
  // Postgres does not store these texts.
  [{ load: { ...LOAD, allowHosts: ['a\0'] } }, 'load.allowHosts'],
  [{ load: { ...LOAD, columns: 'loc:a\0' } }, 'load.columns'],
  [{ load: { ...LOAD, where: ['a:b', 'a:\ud800'] } }, 'load.where'],
  [{ load: { ...LOAD, null: '\0' } }, 'load.null'],
] as const)('%o is refused for %s', async ([body, field]) => {
  const { status, json } = await call(`PUT ${place('wrong')}`, body);
  expect([status, json.error.details.field]).toEqual([422, field]);
  expect((await call(`GET ${place('wrong')}`)).status).toBe(404);
});

test('times that are too close together for the plan are named', async () => {
  const { json } = await call(`PUT ${place('wrong')}`, { ...DAILY, cron: '*/10 * * * *' });
  expect(json.error.details).toEqual({ field: 'cron', value: '*/10 * * * *' });
});

test('a sitemap that cannot be has no schedule', async () => {
  expect((await call(`PUT ${place('a.b')}`, DAILY)).json.error.details.field).toBe('name');
  expect((await call(`PATCH ${place('none')}`, { enabled: false })).status).toBe(404);
});

test('the next times of an expression are shown before it is set', async () => {
  const { json } = await call('GET /api/schedules/preview?cron=0+6+*+*+1-5&timezone=Europe/Berlin');
  expect(json.data.words).toBe('From Monday to Friday at 06:00 Europe/Berlin');
  expect(json.data.nextRuns).toHaveLength(3);
  const wrong = await call('GET /api/schedules/preview?cron=never');
  expect(wrong.json.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { field: 'cron' } });
});

test('addresses that differ in their queries stay as they are, in their order', async () => {
  const sources = ['a', 'b', 'c'].map((page) => `https://www.example.com/feed.csv?page=${page}`);
  await call(`PUT ${place('pages')}`, { load: { sources } });
  const stored = async () =>
    (await database.query(`SELECT asked FROM schedules WHERE sitemap_name = 'pages'`)).rows[0].asked.sources;
  const { load } = (await call(`GET ${place('pages')}`)).json.data;
  const other = 'https://www.example.com/other.xml';
  expect(
    (await call(`PUT ${place('pages')}`, { load: { ...load, sources: [...load.sources, other] } })).status,
  ).toBe(200);
  expect(await stored()).toEqual([...sources, other]);
  // The service cannot know which of the three sources was taken away.
  const fewer = await call(`PUT ${place('pages')}`, { load: { ...load, sources: load.sources.slice(1) } });
  expect([fewer.status, fewer.json.error.details.field]).toEqual([422, 'load.sources']);
  expect(await stored()).toEqual([...sources, other]);
});

describe('a hook', () => {
  let path: string;
  beforeAll(async () => {
    await call(`PUT ${place('hooked')}`, { load: { sources: ['https://www.example.com/sitemap.xml'] } });
    const made = await call(`POST ${place('hooked')}/hook`);
    expect(made.status).toBe(201);
    ({ path } = made.json.data);
  });

  test('is called without a key, with any body', async () => {
    const called = await ask(`POST ${path}`, { body: { Records: [{ eventName: 'ObjectCreated:Put' }] } });
    expect([called.status, called.json.data]).toEqual([202, { status: 'queued' }]);
    expect((await call(`GET ${place('hooked')}`)).json.data).toMatchObject({ asked: true, hook: true });
    await call(`PATCH ${place('hooked')}`, { enabled: false });
    expect((await ask(`POST ${path}`)).json.data).toEqual({ status: 'paused' });
    const run = await call(`POST ${place('hooked')}/run`);
    expect([run.status, run.json.data]).toEqual([202, { status: 'queued' }]);
  });

  // A batch of events may be larger than any other body, and no encoding of them is ours to know.
  test.each(['identity', 'gzip', 'deflate'])(
    'is called with a megabyte that is said to be %s',
    async (encoding) => {
      const headers = { 'Content-Encoding': encoding };
      const called = await ask(`POST ${path}`, { headers, body: { events: 'x'.repeat(1024 * 1024) } });
      expect([called.status, called.json.success]).toEqual([202, true]);
    },
  );

  test('has a token that no log shows', async () => {
    await database.query('ALTER TABLE schedules RENAME hook_hash TO elsewhere');
    expect((await ask(`POST ${path}`)).status).toBe(500);
    await database.query('ALTER TABLE schedules RENAME elsewhere TO hook_hash');
    expect(log.lines.filter(({ message }) => message === 'request failed')).toMatchObject([
      { details: { path: '/api/hooks/…' } },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain(path.split('/').at(-1));
  });

  test('is called although its client, such as a cloud, calls others too often', async () => {
    const other = `/api/hooks/${'b'.repeat(43)}`;
    expect((await ask(`POST ${path}`)).status).toBe(202);
    expect((await ask(`POST ${other}`)).status).toBe(404);
    await database.query(`UPDATE rate_limits SET points = 300 WHERE key LIKE 'hook-client:%'`);
    expect((await ask(`POST ${other}`)).status).toBe(429);
    expect((await ask(`POST ${path}`)).status).toBe(202);
    await database.query(`UPDATE rate_limits SET points = 0 WHERE key LIKE 'hook-client:%'`);
  });

  test('takes 60 calls a minute', async () => {
    const calls = await Promise.all(Array.from({ length: 70 }, () => ask(`POST ${path}`)));
    const refused = calls.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    expect(refused[0]!.headers.get('Retry-After')).toMatch(/^\d+$/);
  });

  test('is gone once it is deleted, and others are not there', async () => {
    expect((await call(`DELETE ${place('hooked')}/hook`)).status).toBe(200);
    expect((await call(`DELETE ${place('hooked')}/hook`)).status).toBe(200);
    // The second call counts for its client again.
    await database.query(`UPDATE rate_limits SET points = 0 WHERE key LIKE 'hook:%'`);
    expect((await ask(`POST ${path}`)).status).toBe(404);
    await database.query(`UPDATE rate_limits SET points = 300 WHERE key LIKE 'hook-client:%'`);
    expect((await ask(`POST ${path}`)).status).toBe(429);
    await database.query(`UPDATE rate_limits SET points = 0 WHERE key LIKE 'hook-client:%'`);
    const other = `/api/hooks/${'a'.repeat(43)}`;
    for (const address of [other, '/api/hooks/short']) {
      expect((await ask(`POST ${address}`)).json.error).toEqual({
        code: 'NOT_FOUND',
        message: 'There is no such hook.',
      });
    }
    const { status, headers: got } = await ask(`GET ${other}`);
    expect([status, got.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
    // The handshake of CloudEvents, which tells nothing of the hook.
    const asked = await ask(`OPTIONS ${other}`, {
      headers: { 'WebHook-Request-Origin': 'eventgrid.azure.net' },
    });
    expect([asked.status, asked.headers.get('WebHook-Allowed-Origin')]).toEqual([200, '*']);
  });
});
