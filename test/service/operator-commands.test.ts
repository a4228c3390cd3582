/** The operator's commands for accounts, keys, domains and uploads: as text for people and with --json for programs. */
import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { SOON } from '../support/soon.ts';
import { fetchFile, fetchLocs, isGone } from './support/crawler.ts';
import { callApi, createCustomer, customerWith, SETTLED, uniqueHostname } from './support/customer.ts';
import { entries, uploadDocument } from './support/entries.ts';
import { runProgram } from './support/real-program.ts';
import { send } from './support/send.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const waypost = await useOwnWaypost({ DNS_SERVERS: dns.address });
const run = (...args: string[]) => runCli({ ...waypost.settings, DNS_SERVERS: dns.address }, ...args);

async function runJson(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** An account with a sitemap of two generations, and one of two files. */
async function publishing() {
  const customer = await createCustomer(waypost, 'pro');
  const { hostname, id } = await customer.verifiedDomain();
  for (const count of [7, 3]) await customer.publish({ domain: hostname, urls: entries(count) });
  await customer.publish({
    domain: hostname,
    sitemapName: 'blog',
    sizeLimit: 'gsc-optimized',
    urls: entries(1500),
  });
  return { customer, hostname, id, accountId: customer.accountId };
}

const shared = await publishing();
const [other, another] = [await createCustomer(waypost), await createCustomer(waypost)];

describe('account', () => {
  test('show has the usage beside the limits of the plan', async () => {
    const { accountId, hostname } = shared;
    const shown = await runJson('account', 'show', accountId);
    expect(shown).toEqual({
      id: accountId,
      ref: null,
      name: 'test pro',
      plan: 'pro',
      createdAt: TIME,
      suspendedAt: null,
      usage: {
        domains: 1,
        sitemaps: 2,
        urls: 1503,
        storedBytes: expect.any(Number),
        keys: 1,
        uploadsUnderWay: 0,
      },
      limits: {
        requestsPerMinute: 100,
        domains: 5,
        urlsPerUpload: 500_000,
        storedBytes: 1e10,
        sitemapsPerDomain: 200,
        uploadsUnderWay: expect.any(Number),
      },
    });
    const [listed] = await runJson('domain', 'list', '--account', accountId);
    expect(listed).toMatchObject({ hostname, storedBytes: shown.usage.storedBytes });
    const { stdout } = await run('account', 'show', accountId);
    expect(stdout).toMatch(/URLs\s+│ 1,503\s+│ 500,000 per upload/);
  });

  test('usage shows what the account sees', async () => {
    const { customer, accountId } = shared;
    const { json } = await customer.call('GET /api/usage');
    const { days, totals } = await runJson('usage', accountId);
    expect(days).toHaveLength(30);
    expect(totals).toMatchObject(json.data.totals);
    expect(totals.acceptedUrls).toBeGreaterThanOrEqual(1503);
    expect(days.at(-1)).toMatchObject({ hostedUrls: 1503 });
    const { stdout } = await run('usage', accountId, '--from', days.at(-1).day);
    expect(stdout).toMatch(/│ all\s+│ \d/);
    const { headers, body } = await send(`${waypost.apiUrl}/api/usage?form=csv`, {
      headers: { 'X-API-Key': customer.key },
    });
    expect(headers['content-type']).toMatch(/^text\/csv/);
    const rows = parse(body.toString(), { columns: true });
    expect(rows).toHaveLength(30);
    expect(rows.at(-1)).toMatchObject({ day: days.at(-1).day, hostedUrls: '1503' });
    // Requests of other tests change today.
    const csv = await run('usage', accountId, '--csv', '--to', days.at(-2).day);
    const untilThen = `${waypost.apiUrl}/api/usage?form=csv&to=${days.at(-2).day}`;
    const same = await send(untilThen, { headers: { 'X-API-Key': customer.key } });
    expect(csv).toMatchObject({ code: 0, stdout: same.body.toString() });
    const all = await runJson('usage');
    expect(all.find((one: { accountId: string }) => one.accountId === accountId)).toMatchObject({
      totals: { acceptedUrls: totals.acceptedUrls },
    });
    const csvOfAll = await run('usage', '--csv', '--from', days.at(-1).day);
    expect(parse(csvOfAll.stdout, { columns: true })).toContainEqual(
      expect.objectContaining({ accountId, ref: '', day: days.at(-1).day, hostedUrls: '1503' }),
    );
    expect((await run('usage')).stdout).toMatch(new RegExp(`│ ${accountId} │ +│ .*│ 1,503 +│`));
    const both = await run('usage', accountId, '--csv', '--json');
    expect(both).toMatchObject({ stdout: '', stderr: expect.stringContaining('--json') });
  });

  test('suspend refuses every request with 403, resume lifts this, and the site stays served', async () => {
    const { customer, accountId, hostname, id } = shared;
    expect(await runJson('account', 'suspend', accountId)).toMatchObject({
      id: accountId,
      suspendedAt: TIME,
    });
    for (const route of ['GET /api/domains', `DELETE /api/domains/${id}`, `POST /api/domains/${id}/verify`]) {
      const { status, json, headers } = await customer.call(route);
      expect({ route, status, code: json.error?.code }).toEqual({ route, status: 403, code: 'FORBIDDEN' });
      expect(json.error.message).toContain('suspended');
      expect(headers['ratelimit-limit']).toBe('100');
    }
    expect((await customer.upload({ domain: hostname, urls: entries(1) })).status).toBe(403);
    const wrong = customerWith(waypost, accountId, `sk_live_${'a'.repeat(32)}`);
    expect((await wrong.call('GET /api/domains')).status).toBe(401);
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(3);
    const listed = await runJson('account', 'list');
    expect(listed.find((one: { id: string }) => one.id === accountId)).toMatchObject({ suspendedAt: TIME });

    const resumed = await run('account', 'resume', accountId);
    expect(resumed.stdout).toBe(`${accountId} is in use.\n`);
    expect((await customer.call('GET /api/domains')).status).toBe(200);
  });

  test('an upload under way is not published after the suspension; delete removes domains, sites, keys and the account', async () => {
    const { customer, accountId, hostname } = await publishing();
    const [begun, suspended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* body() {
      const chunks = Array.from(uploadDocument({ domain: hostname }, 3000));
      yield* chunks.slice(0, -1);
      begun.resolve();
      await suspended.promise;
      yield* chunks.slice(-1);
    }
    const upload = customer.upload(body());
    await begun.promise;
    const underWay = async () => (await runJson('account', 'show', accountId)).usage.uploadsUnderWay;
    await expect.poll(underWay).toBe(1);
    await runJson('account', 'suspend', accountId);
    suspended.resolve();
    expect(await upload).toMatchObject({ status: 403, json: { error: { code: 'FORBIDDEN' } } });
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(3);

    // A delete that is killed after its first step leaves a suspended account too.
    expect(await runJson('account', 'delete', accountId, '--yes')).toEqual({
      id: accountId,
      deleted: true,
      hostnames: [hostname],
    });
    await isGone(waypost, hostname, '/sitemap.xml');
    expect((await customer.call('GET /api/domains')).status).toBe(401);
    const again = await run('account', 'delete', accountId, '--yes');
    expect(again).toMatchObject({
      code: 78,
      stderr: `There is no account ${accountId}. See: account list\n`,
    });
    // No orphaned object is left.
    expect(await run('doctor')).toMatchObject({ code: 0 });
  });
});

describe('key', () => {
  test('create makes a key for some actions, sitemaps and addresses, and list says so', async () => {
    const { accountId } = await createCustomer(waypost);
    const limits = ['--action', 'upload', '--sitemap', 'products', '--from-range', '127.0.0.0/8'];
    const key = (await run('key', 'create', accountId, 'CI', ...limits)).stdout.trim();
    expect((await run('key', 'list', accountId)).stdout).toContain(
      'upload; sitemaps: products; from: 127.0.0.0/8',
    );
    const refused = await callApi(waypost, 'GET /api/domains', { headers: { 'X-API-Key': key } });
    expect(refused.json.error).toMatchObject({ code: 'FORBIDDEN', details: { actions: ['read'] } });
  });

  test('list distinguishes keys, and says which of them work', async () => {
    const { accountId, key } = other;
    const expiring = (await run('key', 'create', accountId, 'CI', '--expires', '90d')).stdout.trim();
    const revoked = (await run('key', 'create', accountId, 'old')).stdout.trim();
    const [{ id } = { id: '' }] = (await runJson('key', 'list', accountId)).filter(
      ({ lastFour }: { lastFour: string }) => lastFour === revoked.slice(-4),
    );
    await run('key', 'revoke', id);
    const times = { createdAt: TIME, lastUsedAt: null };
    const unlimited = { expiresAt: null, revokedAt: null };
    const prefix = 'sk_live_';
    expect(await runJson('key', 'list', accountId)).toMatchObject([
      { name: 'test', prefix, lastFour: key.slice(-4), state: 'valid', ...times, ...unlimited },
      { name: 'CI', prefix, lastFour: expiring.slice(-4), state: 'valid', expiresAt: TIME, revokedAt: null },
      {
        name: 'old',
        prefix,
        lastFour: revoked.slice(-4),
        state: 'revoked',
        expiresAt: null,
        revokedAt: TIME,
      },
    ]);
    const { stdout } = await run('key', 'list', accountId);
    expect(stdout).toContain(`sk_live_…${expiring.slice(-4)}`);
    expect(stdout).not.toContain(expiring.slice(8, -4));
  });
});

describe('domain', () => {
  test('list and show have the contents of domains', async () => {
    const { accountId, customer, hostname, id } = shared;
    await vi.waitFor(async () => {
      expect((await customer.call(`GET /api/domains/${id}`)).json.data).toMatchObject(SETTLED);
    }, SOON);
    const described = {
      ...{ id, accountId, hostname, ...SETTLED },
      ...{ urlCount: 1503, sitemapCount: 3, createdAt: TIME, verifiedAt: TIME, lastUpdated: TIME },
      ...{ cnameTarget: expect.any(String), storedBytes: expect.any(Number), failure: null },
      isIndexNowEnabled: false,
      maxRemovedPercent: 50,
      placement: 'stable',
      website: null,
    };
    expect(await runJson('domain', 'list', '--account', accountId)).toEqual([described]);
    expect(await runJson('domain', 'list')).toContainEqual(described);
    const sitemap = {
      bytes: expect.any(Number),
      gzipBytes: expect.any(Number),
      lastUpdated: TIME,
      ...{ expectEveryHours: null, freshUntil: null, staleSince: null },
    };
    expect(await runJson('domain', 'show', `${hostname.toUpperCase()}.`)).toEqual({
      ...described,
      sitemaps: [
        { name: 'default', generation: 2, urlCount: 3, fileCount: 1, ...sitemap },
        { name: 'blog', generation: 1, urlCount: 1500, fileCount: 2, ...sitemap },
      ],
    });
    expect((await run('domain', 'show', hostname)).stdout).toMatch(/blog\s+│ 1,500\s+│ 2 /);
    expect(await runJson('sitemap', 'list', hostname, '--account', accountId)).toMatchObject([
      { name: 'default', urlCount: 3 },
      { name: 'blog', urlCount: 1500 },
    ]);
    const [{ origin, ...pageHost }] = await runJson('page-host', 'list', hostname);
    expect(pageHost).toMatchObject({ urlCount: 1503, nextCheckAt: TIME });
    expect((await run('page-host', 'list', hostname)).stdout).toContain(origin);
    expect((await run('domain', 'list', '--account', accountId)).stdout).toContain(hostname);
  });

  test('verify --force serves a domain without DNS', async () => {
    const hostname = uniqueHostname('customer.org');
    expect((await other.call('POST /api/domains', { body: { hostname } })).status).toBe(201);
    await other.publish({ domain: hostname, urls: entries(2) });
    expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(404);
    const forced = await run('domain', 'verify', '--force', hostname);
    expect(forced).toEqual({
      code: 0,
      stdout: `${hostname} is verified without a DNS check, and its site is written.\n`,
      stderr: '',
    });
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(2);
    const again = await run('domain', 'verify', '--force', hostname);
    expect(again).toEqual({ code: 0, stdout: `${hostname} is already verified.\n`, stderr: '' });
    expect(await runJson('domain', 'verify', '--force', hostname)).toMatchObject({
      ...{ hostname, status: 'verified', sslStatus: 'provisioning', verifiedAt: TIME, changed: false },
    });
  });

  test('several accounts with one hostname are told apart, and the holder keeps its site', async () => {
    const pending = uniqueHostname('customer.org');
    for (const by of [another, other]) await by.createDomain(pending);
    await another.publish({ domain: pending, urls: entries(2) });
    const unclear = await run('domain', 'verify', '--force', pending);
    expect(unclear).toMatchObject({ code: 78, stderr: expect.stringContaining('--account') });
    for (const by of [another, other]) expect(unclear.stderr).toContain(by.accountId);
    await runJson('domain', 'verify', '--force', pending, '--account', another.accountId);
    const taken = await run('domain', 'verify', '--force', pending, '--account', other.accountId);
    expect(taken).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('Another account has verified'),
    });
    await runJson('domain', 'delete', pending, '--yes', '--account', other.accountId);
    expect(await fetchLocs(waypost, pending, '/sitemap.xml')).toHaveLength(2);
    const { accountId, hostname } = shared;
    const none = await run('domain', 'show', hostname, '--account', other.accountId);
    expect(none).toMatchObject({ code: 78, stderr: expect.stringContaining('There is no domain') });
    expect(await runJson('domain', 'show', hostname, '--account', accountId)).toMatchObject({ hostname });
  });

  test('check compares DNS with the wanted records, for each account', async () => {
    const customers = [other, another];
    const hostname = uniqueHostname('customer.org');
    const domains = [];
    for (const by of customers) domains.push(await by.createDomain(hostname));
    dns.answers.set(hostname, { cname: domains[0]!.cnameTarget });
    const checked = await runJson('domain', 'check', hostname);
    expect(checked).toMatchObject([
      { accountId: customers[0]!.accountId, verdict: 'right', problem: null },
      {
        accountId: customers[1]!.accountId,
        verdict: 'wrong',
        problem: expect.stringContaining('wrong target'),
      },
    ]);
    expect(checked[1].wanted).toEqual({ type: 'CNAME', name: hostname, value: domains[1]!.cnameTarget });
    expect(checked[1].found).toContainEqual({
      type: 'CNAME',
      name: hostname,
      value: domains[0]!.cnameTarget,
    });
    const { code, stdout } = await run('domain', 'check', hostname, '--account', customers[1]!.accountId);
    expect(code).toBe(0);
    expect(stdout).toContain(`of account ${customers[1]!.accountId}: pending_verification`);
    expect(stdout).not.toContain(customers[0]!.accountId);
    expect(stdout).toMatch(/wrong target/);
  });

  test('delete removes the domain and its site', async () => {
    const { hostname, id } = await other.verifiedDomain();
    await other.publish({ domain: hostname, urls: entries(1) });
    expect(await runJson('domain', 'delete', hostname, '--yes')).toEqual({ id, hostname, deleted: true });
    await isGone(waypost, hostname, '/sitemap.xml');
    expect((await other.call(`GET /api/domains/${id}`)).status).toBe(404);
  });
});

test('upload list has live and replaced uploads, newest first', async () => {
  const { accountId, hostname } = shared;
  const uploads = await runJson('upload', 'list', '--domain', hostname);
  const numbers = { bytes: expect.any(Number), gzipBytes: expect.any(Number), publishedAt: TIME };
  const common = { id: expect.stringMatching(/^upload_/), accountId, hostname, kind: 'upload', ...numbers };
  expect(uploads).toHaveLength(3);
  for (const expected of [
    {
      ...common,
      sitemapName: 'default',
      generation: 2,
      urlCount: 3,
      fileCount: 1,
      state: 'live',
      replacedAt: null,
    },
    {
      ...common,
      sitemapName: 'blog',
      generation: 1,
      urlCount: 1500,
      fileCount: 2,
      state: 'live',
      replacedAt: null,
    },
    {
      ...common,
      sitemapName: 'default',
      generation: 1,
      urlCount: 7,
      fileCount: 1,
      state: 'replaced',
      replacedAt: TIME,
    },
  ]) {
    expect(uploads).toContainEqual(expected);
  }
  const published = uploads.map(({ publishedAt }: { publishedAt: string }) => publishedAt);
  expect(published).toEqual(published.toSorted().reverse());
  const cut = await run('upload', 'list', '--account', accountId, '--limit', '2', '--json');
  expect(cut).toMatchObject({ code: 0, stderr: 'There are more than the 2 of --limit.\n' });
  expect(JSON.parse(cut.stdout)).toEqual(uploads.slice(0, 2));
  expect((await run('upload', 'list', '--domain', hostname)).stdout).toMatch(/│ live\s+│/);
});

test('an unknown name is refused with 78', async () => {
  const stderr = 'There is no domain none.example.\n';
  expect(await run('domain', 'verify', '--force', 'none.example')).toEqual({ code: 78, stdout: '', stderr });
});

test('a reader that has enough ends a command in silence', async () => {
  const script = '"$@" | true';
  const command = [process.execPath, 'src/cli.ts', 'account', 'list'];
  const run = await runProgram('sh', ['-c', script, 'sh', ...command], {
    cwd: PROJECT,
    environment: { ...waypost.settings, LOG_LEVEL: 'warn' },
  });
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
});
