/** The operator's commands for accounts, keys, domains and uploads: as text for people and with --json for programs. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile, fetchLocs, isGone } from './support/crawler.ts';
import { createCustomer, customerWith, SETTLED } from './support/customer.ts';
import { startDnsServer } from './support/dns-server.ts';
import { entries, uploadDocument } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const dns = await startDnsServer();
afterAll(() => dns[Symbol.asyncDispose]());
const waypost = await useWaypost({ DNS_SERVERS: dns.address });
const run = (...args: string[]) => runCli({ ...waypost.settings, DNS_SERVERS: dns.address }, ...args);

async function runJson(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function publishing() {
  const customer = await createCustomer(waypost, 'pro');
  const { hostname, id } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(3) });
  await customer.publish({
    domain: hostname,
    sitemapName: 'blog',
    sizeLimit: 'gsc-optimized',
    urls: entries(1500),
  });
  return { customer, hostname, id, accountId: customer.accountId };
}

describe('account', () => {
  test('show has the usage beside the limits of the plan', async () => {
    const { accountId, hostname } = await publishing();
    const shown = await runJson('account', 'show', accountId);
    expect(shown).toEqual({
      id: accountId,
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

  test('suspend refuses every request with 403, resume lifts this, and the site stays served', async () => {
    const { customer, accountId, hostname, id } = await publishing();
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

  test('an upload under way is not published after the suspension', async () => {
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
    expect((await runJson('account', 'show', accountId)).usage.uploadsUnderWay).toBe(1);
    await runJson('account', 'suspend', accountId);
    suspended.resolve();
    expect(await upload).toMatchObject({ status: 403, json: { error: { code: 'FORBIDDEN' } } });
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(3);
  });

  test('delete removes domains, sites, keys and the account, also after an interrupted delete', async () => {
    const { customer, accountId, hostname } = await publishing();
    const refused = await run('account', 'delete', accountId);
    expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining('--yes') });
    expect((await customer.call('GET /api/domains')).status).toBe(200);
    // The state that a killed delete leaves after its first step.
    await runJson('account', 'suspend', accountId);
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
  test('list distinguishes keys, and says which of them work', async () => {
    const { accountId, key } = await createCustomer(waypost);
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

  test.each(['yesterday', '0d', '2020-01-01'])(
    'create --expires %s is refused and creates no key',
    async (when) => {
      const { accountId } = await createCustomer(waypost);
      const refused = await run('key', 'create', accountId, 'x', '--expires', when);
      expect(refused).toMatchObject({
        code: 78,
        stdout: '',
        stderr: expect.stringContaining(`--expires ${when}`),
      });
      expect(await runJson('key', 'list', accountId)).toHaveLength(1);
    },
  );
});

describe('domain', () => {
  test('list and show have the contents of domains', async () => {
    const { accountId, customer, hostname, id } = await publishing();
    await vi.waitFor(async () => {
      expect((await customer.call(`GET /api/domains/${id}`)).json.data).toMatchObject(SETTLED);
    }, SOON);
    const described = {
      ...{ id, accountId, hostname, ...SETTLED },
      ...{ urlCount: 1503, sitemapCount: 3, createdAt: TIME, verifiedAt: TIME, lastUpdated: TIME },
      ...{ cnameTarget: expect.any(String), storedBytes: expect.any(Number), failure: null },
      isIndexNowEnabled: false,
    };
    expect(await runJson('domain', 'list', '--account', accountId)).toEqual([described]);
    expect(await runJson('domain', 'list')).toContainEqual(described);
    const sitemap = {
      generation: 1,
      bytes: expect.any(Number),
      gzipBytes: expect.any(Number),
      lastUpdated: TIME,
    };
    expect(await runJson('domain', 'show', `${hostname.toUpperCase()}.`)).toEqual({
      ...described,
      sitemaps: [
        { name: 'default', urlCount: 3, fileCount: 1, ...sitemap },
        { name: 'blog', urlCount: 1500, fileCount: 2, ...sitemap },
      ],
    });
    expect((await run('domain', 'show', hostname)).stdout).toMatch(/blog\s+│ 1,500\s+│ 2 /);
    expect((await run('domain', 'list', '--account', accountId)).stdout).toContain(hostname);
  });

  test('verify --force serves a domain without DNS', async () => {
    const customer = await createCustomer(waypost);
    const hostname = `maps-${customer.accountId.slice(-8).toLowerCase()}.customer.org`;
    expect((await customer.call('POST /api/domains', { body: { hostname } })).status).toBe(201);
    await customer.publish({ domain: hostname, urls: entries(2) });
    expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(404);
    const unforced = await run('domain', 'verify', hostname);
    expect(unforced).toMatchObject({ code: 78, stderr: expect.stringContaining('--force') });
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
    const { accountId, hostname } = await publishing();
    const other = await createCustomer(waypost);
    const pending = `maps-${other.accountId.slice(-8).toLowerCase()}.customer.org`;
    const first = await createCustomer(waypost);
    for (const by of [first, other]) await by.createDomain(pending);
    await first.publish({ domain: pending, urls: entries(2) });
    const unclear = await run('domain', 'verify', '--force', pending);
    expect(unclear).toMatchObject({ code: 78, stderr: expect.stringContaining('--account') });
    for (const by of [first, other]) expect(unclear.stderr).toContain(by.accountId);
    await runJson('domain', 'verify', '--force', pending, '--account', first.accountId);
    const taken = await run('domain', 'verify', '--force', pending, '--account', other.accountId);
    expect(taken).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('Another account has verified'),
    });
    await runJson('domain', 'delete', pending, '--yes', '--account', other.accountId);
    expect(await fetchLocs(waypost, pending, '/sitemap.xml')).toHaveLength(2);
    const none = await run('domain', 'show', hostname, '--account', other.accountId);
    expect(none).toMatchObject({ code: 78, stderr: expect.stringContaining('There is no domain') });
    expect(await runJson('domain', 'show', hostname, '--account', accountId)).toMatchObject({ hostname });
  });

  test('check compares DNS with the wanted records, for each account', async () => {
    const customers = [await createCustomer(waypost), await createCustomer(waypost)];
    const hostname = `maps-${customers[0]!.accountId.slice(-8).toLowerCase()}.customer.org`;
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
    expect(await run('domain', 'check', 'nobody.example.com')).toMatchObject({ code: 78 });
  });

  test('delete removes the domain and its site', async () => {
    const { customer, hostname, id } = await publishing();
    const refused = await run('domain', 'delete', hostname);
    expect(refused).toMatchObject({ code: 78, stderr: expect.stringContaining('--yes') });
    expect(await runJson('domain', 'delete', hostname, '--yes')).toEqual({ id, hostname, deleted: true });
    await isGone(waypost, hostname, '/sitemap.xml');
    expect((await customer.call(`GET /api/domains/${id}`)).status).toBe(404);
  });
});

test('upload list has live and replaced uploads, newest first', async () => {
  const { customer, accountId, hostname } = await publishing();
  await customer.publish({ domain: hostname, urls: entries(7) });
  const uploads = await runJson('upload', 'list', '--domain', hostname);
  const numbers = { bytes: expect.any(Number), gzipBytes: expect.any(Number), publishedAt: TIME };
  const common = { id: expect.stringMatching(/^upload_/), accountId, hostname, kind: 'upload', ...numbers };
  expect(uploads).toHaveLength(3);
  for (const expected of [
    {
      ...common,
      sitemapName: 'default',
      generation: 2,
      urlCount: 7,
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
      urlCount: 3,
      fileCount: 1,
      state: 'replaced',
      replacedAt: TIME,
    },
  ]) {
    expect(uploads).toContainEqual(expected);
  }
  const published = uploads.map(({ publishedAt }: { publishedAt: string }) => publishedAt);
  expect(published).toEqual(published.toSorted().reverse());
  expect(await runJson('upload', 'list', '--account', accountId, '--limit', '2')).toEqual(
    uploads.slice(0, 2),
  );
  expect((await run('upload', 'list', '--domain', hostname)).stdout).toMatch(/│ live\s+│/);
});

test('an unknown name or an invalid number is refused with 78', async () => {
  const noAccount = 'There is no account account_none. See: account list\n';
  const noDomain = 'There is no domain none.example.\n';
  for (const [args, stderr] of [
    [['account', 'show', 'account_none'], noAccount],
    [['account', 'suspend', 'account_none'], noAccount],
    [['account', 'resume', 'account_none'], noAccount],
    [['account', 'delete', 'account_none', '--yes'], noAccount],
    [['domain', 'list', '--account', 'account_none'], noAccount],
    [['upload', 'list', '--account', 'account_none'], noAccount],
    [['domain', 'show', 'none.example'], noDomain],
    [['domain', 'verify', '--force', 'none.example'], noDomain],
    [['domain', 'delete', 'none.example', '--yes'], noDomain],
    [['upload', 'list', '--domain', 'none.example'], noDomain],
    [['upload', 'list', '--limit', '0'], '--limit 0 is not a whole number from 1 to 10000.\n'],
  ] as const) {
    expect(await run(...args)).toEqual({ code: 78, stdout: '', stderr });
  }
});
