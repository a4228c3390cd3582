/** The operator's API: who gets in, and each operation as it is described. */
import { createHash, randomBytes } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { describe, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { Judge, readDescription } from '../support/api-description.ts';
import { SOON } from '../support/soon.ts';
import { fetchLocs, isGone } from './support/crawler.ts';
import { callApi, checkEnvelope, customerWith } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { send } from './support/send.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

const port = String(await freePort());
const made = await runCli({}, 'operator-token', 'ci');
const [, token] = /(op_live_\S+)/.exec(made.stdout) ?? [];
const [, entry] = /OPERATOR_TOKENS=(\S+)/.exec(made.stdout) ?? [];
const OTHER = `op_live_${randomBytes(32).toString('base64url')}`;
const hash = createHash('sha256').update(OTHER).digest('hex');
const INFO = 30;
const waypost = await useOwnWaypost(
  { OPERATOR_PORT: port, OPERATOR_TOKENS: `${entry}, next:${hash}`, LOG_LEVEL: 'info' },
  (line) => JSON.parse(line).level === INFO,
);

const origin = `http://127.0.0.1:${port}`;
const description = readDescription('operator-openapi.json');
const judge = new Judge(description);
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every answer has the envelope, and is described. */
async function ask(route: string, { body, headers = {} }: Asked = {}) {
  const [method = '', path = ''] = route.split(' ');
  const received = await send(origin + path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const json = checkEnvelope(received);
  const problems = judge.answerProblems(method, path, received.status, 'application/json', json);
  expect({ route, problems, json }).toEqual({ route, problems: [], json });
  return { ...received, json };
}

async function data(route: string, body?: unknown, status = 200) {
  const answer = await ask(route, { body });
  expect({ route, status: answer.status, json: answer.json }).toMatchObject({ route, status });
  return answer.json.data;
}

describe('who gets in', () => {
  const locked = operations.filter(({ operation }) => operation.security === undefined);
  const wrong = [
    ['no token', {}],
    ['a token that nobody has', { Authorization: `Bearer op_live_${'a'.repeat(43)}` }],
    ['a token cut short', { Authorization: `Bearer ${token?.slice(0, -1)}` }],
    ['the hash of a token', { Authorization: `Bearer ${hash}` }],
    ['a token as another scheme', { Authorization: `Basic ${token}` }],
    ['a token as a key', { 'X-API-Key': String(token) }],
  ] as const;

  test.each(wrong)('no operation takes %s', async (_, headers) => {
    expect(locked.length).toBeGreaterThan(8);
    for (const { method, path } of locked) {
      const address = path.replaceAll(/\{\w+\}/g, 'x');
      const { status, body } = await send(origin + address, { method, headers });
      expect({ method, path, status }).toEqual({ method, path, status: 401 });
      expect(body.toString()).not.toContain('op_live_');
    }
  });

  test('keys of customers open nothing here, and tokens nothing there', async () => {
    const { id } = await data('POST /operator/accounts', { name: 'Keyed' }, 201);
    const { stdout } = await runCli(waypost.settings, 'key', 'create', id);
    const withKey = await send(`${origin}/operator/accounts`, {
      headers: { Authorization: `Bearer ${stdout.trim()}` },
    });
    expect(withKey.status).toBe(401);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await callApi(waypost, 'GET /api/domains', { headers })).status).toBe(401);
    // The port of customers has none of the paths.
    expect((await send(`${waypost.apiUrl}/operator/accounts`, { headers })).status).toBe(404);
    expect((await send(`${origin}/api/domains`, { headers })).status).toBe(404);
  });

  test('each of the tokens gets in, and the bounds are told', async () => {
    const { status, headers } = await ask('GET /operator/accounts', {
      headers: { Authorization: `bearer ${OTHER}` },
    });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'ratelimit-limit': '60000', 'cache-control': 'no-store' });
  });

  test('the description is for everybody on this port', async () => {
    const { status, body } = await send(`${origin}/operator/openapi.json`);
    expect({ status, document: JSON.parse(body.toString()) }).toEqual({ status: 200, document: description });
  });

  test.each(operations)('$method $path: other methods are refused', async ({ path }) => {
    const address = path.replaceAll(/\{\w+\}/g, 'x');
    const { status, headers } = await send(origin + address, { method: 'OPTIONS' });
    expect(status).toBe(405);
    const methods = operations.filter((one) => one.path === path).map(({ method }) => method);
    expect(String(headers.allow).split(', ')).toEqual(expect.arrayContaining(methods));
  });
});

describe('accounts', () => {
  test('put by ref creates one, and brings it to what is sent, also ten at once', async () => {
    const put = (name: string, more = {}) =>
      data('PUT /operator/accounts/by-ref/tenant-1', { name, plan: 'starter', ...more });
    const all = await Promise.all(Array.from({ length: 10 }, () => put('Acme')));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    const { id } = all[0];
    expect(await put('Acme Inc.', { suspended: true })).toMatchObject({ id, suspended: true });
    // A call without `suspended` does not resume the account.
    expect(await put('Acme Inc.')).toMatchObject({ id, suspended: true });
    const whole = await data('GET /operator/accounts/by-ref/tenant-1');
    expect(whole).toEqual(await data(`GET /operator/accounts/${id}`));
    expect(whole).toMatchObject({ limits: { domains: 3 }, usage: { domains: 0, keys: 0 } });
  });

  test('create, change, suspend, resume and delete', async () => {
    const headers = { 'Idempotency-Key': 'create-1' };
    const body = { name: 'Made', plan: 'pro', ref: 'made-1' };
    const first = await ask('POST /operator/accounts', { body, headers });
    expect(first.status).toBe(201);
    // A client that changes its token meanwhile gets the first answer, too.
    const again = await ask('POST /operator/accounts', {
      body,
      headers: { ...headers, Authorization: `Bearer ${OTHER}` },
    });
    expect(again.json).toEqual(first.json);
    expect(again.headers['idempotency-replayed']).toBe('true');
    const { id } = first.json.data;
    const taken = await ask('POST /operator/accounts', { body });
    expect(taken).toMatchObject({ status: 409, json: { error: { details: { field: 'ref' } } } });
    const changed = await data(`PATCH /operator/accounts/${id}`, { plan: 'free', ref: null });
    expect(changed).toMatchObject({ id, plan: 'free', ref: null, name: 'Made' });
    expect(await data(`POST /operator/accounts/${id}/suspend`)).toMatchObject({ suspended: true });
    expect(await data(`POST /operator/accounts/${id}/resume`)).toMatchObject({ suspendedAt: null });
    expect(await data(`DELETE /operator/accounts/${id}`)).toEqual({ id, deleted: true, hostnames: [] });
    expect((await ask(`GET /operator/accounts/${id}`)).status).toBe(404);
    expect((await ask('DELETE /operator/accounts/by-ref/made-1')).status).toBe(404);
  });

  test('list page by page, with filters', async () => {
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      const wanted = { name: `Listed ${n}`, plan: 'business', suspended: n === 2 };
      ids.push((await data(`PUT /operator/accounts/by-ref/listed-${n}`, wanted)).id);
    }
    const collected = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const query = `limit=2&plan=business${cursor && `&cursor=${cursor}`}`;
      const { json } = await ask(`GET /operator/accounts?${query}`);
      collected.push(...json.data.map((one: { id: string }) => one.id));
      cursor = json.pagination.cursor;
    }
    // Waypost may have accounts of its own on this plan.
    expect(collected.filter((id) => ids.includes(id))).toEqual(ids);
    const suspended = await data('GET /operator/accounts?plan=business&suspended=true');
    expect(suspended).toMatchObject([{ id: ids[1], suspended: true }]);
  });

  test.each([
    ['POST /operator/accounts', { plan: 'pro' }, 'name'],
    ['POST /operator/accounts', { name: 'x', plan: 'gold' }, 'plan'],
    ['POST /operator/accounts', { name: 'x', ref: 'a/b' }, 'ref'],
    ['PUT /operator/accounts/by-ref/~x', { name: 'x' }, 'ref'],
    ['PUT /operator/accounts/by-ref/x', { name: 'x', suspended: 'yes' }, 'suspended'],
    ['PUT /operator/accounts/by-ref/x', { name: 'x', nam: 'y' }, 'nam'],
    ['PATCH /operator/accounts/x', { ref: '' }, 'ref'],
    ['GET /operator/accounts?plan=gold', undefined, 'plan'],
    ['GET /operator/accounts?suspended=1', undefined, 'suspended'],
    ['GET /operator/accounts?pln=free', undefined, 'pln'],
  ])('%s %j is refused, and the answer names the field', async (route, body, field) => {
    const { status, json } = await ask(route, { body });
    expect({ status, field: json.error?.details?.field }).toEqual({ status: 422, field });
  });
});

test('usage of all accounts, by pages and as CSV', async () => {
  const ids: string[] = [];
  for (const ref of ['used-1', 'used-2']) {
    ids.push((await data(`PUT /operator/accounts/by-ref/${ref}`, { name: ref })).id);
  }
  const rows = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const { json } = await ask(`GET /operator/usage?limit=2${next}`);
    rows.push(...json.data);
    next = json.pagination.hasMore ? `&cursor=${json.pagination.cursor}` : undefined;
  }
  expect(rows.map(({ accountId }) => accountId)).toEqual(expect.arrayContaining(ids));
  const one = rows.find(({ accountId }) => accountId === ids[1]);
  const { days, totals } = await data(`GET /operator/accounts/${ids[1]}/usage`);
  expect(one).toEqual({ accountId: ids[1], ref: 'used-2', days, totals });

  const [{ day }] = days;
  const headers = { Authorization: `Bearer ${token}`, Accept: 'text/csv' };
  const csv = await send(`${origin}/operator/usage?from=${day}&to=${day}`, { headers });
  expect(csv.headers).toMatchObject({ 'content-disposition': 'attachment; filename=usage.csv' });
  expect(parse(csv.body.toString(), { columns: true })).toEqual(
    rows.map(({ accountId, ref }) =>
      expect.objectContaining({ accountId, ref: ref ?? '', day, requests: '0' }),
    ),
  );
  const wrong = await send(`${origin}/operator/usage?from=x`, { headers });
  expect({ status: wrong.status, json: checkEnvelope(wrong) }).toMatchObject({
    status: 422,
    json: { error: { details: { field: 'from' } } },
  });
});

test('a tenant: account, key, domain, verified by force, published, rebuilt, and deleted', async () => {
  // Its requests a minute suffice for the waits below.
  const { id } = await data('PUT /operator/accounts/by-ref/tenant-2', { name: 'Tenant', plan: 'business' });
  const hostname = 'tenant-2.example.net';
  const put = `PUT /operator/accounts/${id}/domains/${hostname}`;
  const [domain, same] = await Promise.all([data(put, {}), data(put, { website: false })]);
  expect(same).toEqual(domain);
  expect(domain).toMatchObject({ accountId: id, hostname, status: 'pending_verification' });
  const to = { domains: [hostname], sitemaps: ['default'], fromRanges: ['127.0.0.0/8'] };
  const limits = { actions: ['upload', 'read'], ...to };
  const created = await data(`POST /operator/accounts/${id}/keys`, { name: 'CI', ...limits }, 201);
  const wholeKey = await data(`POST /operator/accounts/${id}/keys`, { name: 'Whole' }, 201);
  const verified = await data(`POST /operator/domains/${domain.id}/verify`, { force: true });
  expect(verified).toMatchObject({ status: 'verified', message: expect.stringContaining('without') });

  const customer = customerWith(waypost, id, created.key);
  await customer.publish({ domain: hostname, urls: entries(3) });
  const used = await data(`GET /operator/accounts/${id}/usage`);
  expect(used).toMatchObject({
    totals: { acceptedUrls: 3 },
    days: expect.arrayContaining([expect.objectContaining({ hostedUrls: 3 })]),
  });
  expect(used.days).toHaveLength(30);
  // The CSV is the customer's.
  const inSpan = `from=${used.days[0].day}&to=${used.days[0].day}&form=csv`;
  const csvOf = (url: string, headers: Readonly<Record<string, string>>) =>
    send(`${url}?${inSpan}`, { headers });
  const csv = await csvOf(`${origin}/operator/accounts/${id}/usage`, { Authorization: `Bearer ${token}` });
  const own = await csvOf(`${waypost.apiUrl}/api/usage`, { 'X-API-Key': wholeKey.key });
  for (const name of ['content-type', 'content-disposition', 'vary']) {
    expect({ name, value: csv.headers[name] }).toEqual({ name, value: own.headers[name] });
  }
  expect({ status: csv.status, body: csv.body.toString() }).toEqual({
    status: 200,
    body: own.body.toString(),
  });
  expect(csv.body.toString()).toMatch(/^day,requests,acceptedUrls,.*\r\n"\d{4}-\d\d-\d\d",0,0,/);
  const form = await ask(`GET /operator/accounts/${id}/usage?form=xml`);
  expect(form).toMatchObject({ status: 422, json: { error: { details: { field: 'form' } } } });
  expect(await data(`GET /operator/domains/${domain.id}`)).toMatchObject({ urlCount: 3, fileCount: 1 });
  for (const list of ['sitemaps', 'page-hosts']) {
    const headers = { 'X-API-Key': wholeKey.key };
    // A job finds the page hosts.
    await vi.waitFor(async () => {
      const { json } = await ask(`GET /operator/domains/${domain.id}/${list}`);
      const seen = await callApi(waypost, `GET /api/domains/${domain.id}/${list}`, { headers });
      expect({ list, ...json }).toEqual({ list, ...seen.json });
      expect(json.data).toMatchObject([{ urlCount: 3 }]);
    }, SOON);
    expect((await ask(`GET /operator/domains/domain_none/${list}`)).status).toBe(404);
  }
  const [listed, unlimited] = await data(`GET /operator/accounts/${id}/keys`);
  expect(listed).toMatchObject({ id: created.id, state: 'valid', creator: null, start: 'sk_live_' });
  expect(listed.may).toContain(hostname);
  expect(listed).toMatchObject({ ...limits, expiresAt: null });
  expect(created).toMatchObject(limits);
  expect(unlimited).toMatchObject({ actions: null, domains: null, sitemaps: null, fromRanges: null });
  expect(await data(`GET /operator/keys/${created.id}`)).toEqual(listed);
  const site = await data(`POST /operator/domains/${domain.id}/rebuild`);
  expect(site).toEqual({ hostname, outcome: 'written' });
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(3);
  expect(await data(`POST /operator/domains/${domain.id}/certificate/renew`, undefined, 202)).toEqual({
    hostname,
  });
  // No certificate is sealed with it.
  const lost = await ask('POST /operator/certificates/replace-lost', { body: { keyId: 'k9' } });
  expect(lost).toMatchObject({ status: 404, json: { error: { code: 'NOT_FOUND' } } });
  // The call looks up the records of the domain, and changes nothing.
  const checked = await data(`POST /operator/domains/${domain.id}/check`);
  expect(checked).toMatchObject({ wanted: { value: domain.cnameTarget }, verdict: 'unknown' });

  expect(await data(`DELETE /operator/keys/${created.id}`)).toMatchObject({ state: 'revoked' });
  expect((await customer.call('GET /api/domains')).status).toBe(401);
  expect(await data(`DELETE /operator/domains/${domain.id}`)).toMatchObject({ hostname, deleted: true });
  await isGone(waypost, hostname, '/sitemap.xml');
  const { stdout } = await runCli(waypost.settings, 'domain', 'list', '--account', id, '--json');
  expect(JSON.parse(stdout)).toEqual([]);
});

test('tenants in one request: each is whole or has its error, and the whole request is repeatable', async () => {
  const tenants = [
    {
      ...{ ref: 'bulk-1', name: 'First', plan: 'pro' },
      domains: [{ hostname: 'Bulk-1.example.net', verified: true }],
      keys: [{ name: 'CI', actions: ['upload'], domains: ['bulk-1.example.net'], expiresAt: '2100-01-01' }],
    },
    { ref: 'bulk-2', name: 'Second', domains: [{ hostname: 'bulk-1.example.net' }] },
    { ref: 'bulk 3', name: 'Third' },
    { ref: 'bulk-4', name: 'Fourth', keys: [{ name: 'CI', actions: ['fly'] }] },
    { ref: 'bulk-1', name: 'Again' },
    { ref: 'bulk-6', name: 'Sixth', suspended: true },
    'seventh',
  ];
  const { tenants: rows } = await data('PUT /operator/tenants', { tenants });
  const summary = (given: typeof rows) =>
    given.map((row: { ref: string; error: { code: string; details: { field?: string } } | null }) => [
      row.ref,
      row.error === null ? 'done' : (row.error.details?.field ?? row.error.code),
    ]);
  const expected = [
    ...[
      ['bulk-1', 'done'],
      ['bulk-2', 'done'],
      ['bulk 3', 'ref'],
      ['bulk-4', 'keys[0].actions[0]'],
    ],
    ...[
      ['bulk-1', 'ref'],
      ['bulk-6', 'done'],
      ['', 'tenant'],
    ],
  ];
  expect(summary(rows)).toEqual(expected);
  const [{ account, domains, keys }, second] = rows;
  expect(domains).toMatchObject([{ hostname: 'bulk-1.example.net', status: 'verified' }]);
  expect(second.domains).toMatchObject([{ status: 'pending_verification' }]);
  const customer = customerWith(waypost, account.id, keys[0].key);
  await customer.publish({ domain: 'bulk-1.example.net', urls: entries(2) });
  expect(await fetchLocs(waypost, 'bulk-1.example.net', '/sitemap.xml')).toHaveLength(2);

  const again = await data('PUT /operator/tenants', { tenants });
  expect(again.tenants[0]).toEqual({ ...rows[0], keys: [{ ...keys[0], key: null }] });
  // Another account has verified the hostname meanwhile, but who registered it keeps the row.
  expect(summary(again.tenants)).toEqual(expected);
  const taken = { ref: 'bulk-8', name: 'Eighth', domains: [{ hostname: 'bulk-1.example.net' }] };
  const late = await data('PUT /operator/tenants', { tenants: [taken] });
  expect(late.tenants).toMatchObject([{ account: null, error: { code: 'CONFLICT' } }]);
  expect((await ask('GET /operator/accounts/by-ref/bulk-8')).status).toBe(404);
});

test('a text that Postgres does not store is refused, and no other tenant with it', async () => {
  const { tenants } = await data('PUT /operator/tenants', {
    tenants: [
      { ref: 'nul', name: 'NUL', domains: [{ hostname: 'a\0.example.com' }] },
      { ref: 'nul-key', name: 'NUL', keys: [{ name: 'CI', domains: ['a\0.example.com'] }] },
      { ref: 'beside', name: 'Beside' },
    ],
  });
  expect(tenants).toMatchObject([
    { account: null, error: { details: { field: 'domains[0].hostname' } } },
    { account: null, error: { details: { field: 'domains' } } },
    { error: null },
  ]);
  const { id } = tenants[2].account;
  const key = { name: 'CI', domains: ['a\0.example.com'] };
  const limited = await ask(`POST /operator/accounts/${id}/keys`, { body: key });
  expect([limited.status, limited.json.error.details.field]).toEqual([422, 'domains']);
  const lost = await ask('POST /operator/certificates/replace-lost', { body: { keyId: 'k\0' } });
  expect([lost.status, lost.json.error.details.field]).toEqual([422, 'keyId']);
  const unknown = await ask('POST /operator/examinations', { body: { hostname: 'a\0' } });
  expect([unknown.status, unknown.json.error.details.field]).toEqual([422, 'hostname']);
});

test('tenants that do not fit into a request are refused before any is made', async () => {
  const one = (n: number) => ({
    ref: `many-${n}`,
    name: `${n}`,
    keys: [{ name: 'CI', actions: ['upload'] }],
  });
  const many = (count: number) => Array.from({ length: count }, (_, n) => one(n));
  for (const tenants of [[], many(101), {}, null]) {
    const { status, json } = await ask('PUT /operator/tenants', { body: { tenants } });
    expect({ status, field: json.error.details.field }).toEqual({ status: 422, field: 'tenants' });
  }
  expect((await ask('GET /operator/accounts/by-ref/many-0')).status).toBe(404);
  const { tenants } = await data('PUT /operator/tenants', { tenants: many(100) });
  expect(tenants.filter(({ error }: { error: unknown }) => error === null)).toHaveLength(100);
});

test('webhooks of all accounts are listed, sent again and disabled, and their owner reads who did it', async () => {
  const { tenants } = await data('PUT /operator/tenants', {
    tenants: [{ ref: 'hooked', name: 'Hooked', plan: 'pro', keys: [{ name: 'CI' }] }],
  });
  const [{ account, keys }] = tenants;
  const customer = customerWith(waypost, account.id, keys[0].key);
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ url: 'https://hooks.example.net/x' });
  const { json: made } = await customer.call('POST /api/webhooks', { headers, body });
  const { id } = made.data;
  const hook = `/operator/webhooks/${id}`;
  const shown = await data(`GET ${hook}`);
  expect(shown).toMatchObject({ id, accountId: account.id, enabled: true });
  expect(await data(`GET /operator/webhooks?account=${account.id}`)).toEqual([shown]);
  const { json: test } = await customer.call(`POST /api/webhooks/${id}/test`);
  const { eventId } = test.data;
  expect(await data(`GET ${hook}/deliveries`)).toMatchObject([{ eventId, type: 'webhook.test' }]);
  expect(await data(`POST ${hook}/deliveries/${eventId}/retry`)).toMatchObject({ status: 'waiting' });
  expect(await data(`POST ${hook}/deliveries/retry`)).toEqual({ id, deliveries: 0 });
  const reason = 'The operator of this service has disabled it.';
  expect(await data(`POST ${hook}/disable`)).toMatchObject({ enabled: false, disabledReason: reason });
  expect((await customer.call(`GET /api/webhooks/${id}`)).json.data).toMatchObject({ enabled: false });
  for (const route of ['GET x', 'POST x/disable', 'GET x/deliveries', 'POST x/deliveries/retry']) {
    expect((await ask(route.replace('x', '/operator/webhooks/webhook_none'))).status).toBe(404);
  }
  expect((await ask(`POST ${hook}/deliveries/event_none/retry`)).status).toBe(404);
});

test('uploads are listed page by page, and what waits for search engines is sent again', async () => {
  const hostname = 'listed-uploads.example.net';
  const domains = [{ hostname, verified: true }];
  const { tenants } = await data('PUT /operator/tenants', {
    tenants: [{ ref: 'uploads', name: 'Uploads', plan: 'pro', domains, keys: [{ name: 'CI' }] }],
  });
  const [{ account, keys, domains: made }] = tenants;
  const customer = customerWith(waypost, account.id, keys[0].key);
  for (const count of [1, 2, 3]) await customer.publish({ domain: hostname, urls: entries(count) });
  const list = `/operator/uploads?account=${account.id}&hostname=${hostname.toUpperCase()}`;
  const all = await data(`GET ${list}`);
  expect(all.map(({ urlCount }: { urlCount: number }) => urlCount)).toEqual([3, 2, 1]);
  expect(all[0]).toMatchObject({
    sitemap: 'default',
    kind: 'upload',
    replacedAt: null,
    accountId: account.id,
  });
  const first = await ask(`GET ${list}&limit=2`);
  const rest = await data(`GET ${list}&limit=2&cursor=${first.json.pagination.cursor}`);
  expect([...first.json.data, ...rest]).toEqual(all);

  const [{ id }] = made;
  const retry = `POST /operator/domains/${id}/indexnow/retry`;
  expect((await ask(retry)).json.error).toMatchObject({ code: 'CONFLICT' });
  expect((await ask(retry.replace(id, 'domain_none'))).status).toBe(404);
  // A comparison that ends later submits its URLs.
  await vi.waitFor(async () => {
    const { json } = await customer.call(`GET /api/domains/${id}/sitemaps/default/changes`);
    expect(json.data.state).not.toBe('pending');
  }, SOON);
  const headers = { 'Content-Type': 'application/json' };
  const enabled = { headers, body: JSON.stringify({ indexNow: { enabled: true } }) };
  expect((await customer.call(`PATCH /api/domains/${id}`, enabled)).status).toBe(200);
  expect(await data(retry)).toEqual({ hostname, pageHosts: 0 });
  expect(await data(`GET /operator/page-hosts?domain=${id}`)).toEqual([]);
});

describe('domains', () => {
  test('are listed by account, by hostname and by status, page by page', async () => {
    const ids: string[] = [];
    for (const ref of ['lists-1', 'lists-2']) {
      const { id } = await data(`PUT /operator/accounts/by-ref/${ref}`, { name: ref, plan: 'pro' });
      for (const name of ['shared', ref]) {
        ids.push((await data(`PUT /operator/accounts/${id}/domains/${name}.example.net`, {})).id);
      }
    }
    const [first, , third, fourth] = ids;
    await data(`POST /operator/domains/${fourth}/verify`, { force: true });
    const idsOf = async (query: string) =>
      (await data(`GET /operator/domains?${query}`)).map((one: { id: string }) => one.id);
    expect(await idsOf('hostname=SHARED.example.net')).toEqual([third, first]);
    expect((await idsOf('status=served'))[0]).toBe(fourth);
    expect(await idsOf('status=pending_verification&limit=3')).toEqual(ids.slice(0, 3).reverse());
    const { json } = await ask('GET /operator/domains?limit=2&hostname=shared.example.net');
    expect(json.pagination).toEqual({ hasMore: false });
    const page = await ask('GET /operator/domains?limit=1&hostname=shared.example.net');
    expect(await idsOf(`limit=1&hostname=shared.example.net&cursor=${page.json.pagination.cursor}`)).toEqual([
      first,
    ]);
    // A second account cannot hold the hostname.
    await data(`POST /operator/domains/${first}/verify`, { force: true });
    const held = await ask(`POST /operator/domains/${third}/verify`, { body: { force: true } });
    expect(held).toMatchObject({ status: 409, json: { error: { code: 'CONFLICT' } } });
  });

  test('beyond the plan are refused, also for an operator', async () => {
    const { id } = await data('PUT /operator/accounts/by-ref/full', { name: 'Full', plan: 'free' });
    await data(`PUT /operator/accounts/${id}/domains/full-1.example.net`, {});
    const refused = await ask(`PUT /operator/accounts/${id}/domains/full-2.example.net`, { body: {} });
    expect(refused).toMatchObject({ status: 422, json: { error: { details: { limit: 1 } } } });
    // Once the plan has room, the domain is taken.
    await data('PUT /operator/plans/free', { domains: 2 });
    await data(`PUT /operator/accounts/${id}/domains/full-2.example.net`, {});
    await data('DELETE /operator/plans/free');
  });
});

test('plans: what is set wins over the setting, for running processes, and is taken back', async () => {
  const before = await data('GET /operator/plans/business');
  expect(before).toMatchObject({ set: {}, changedAt: null, limits: { requestsPerMinute: 500 } });
  const after = await data('PUT /operator/plans/business', { requestsPerMinute: 7 });
  expect(after).toMatchObject({
    ...{ set: { requestsPerMinute: 7 }, changedBy: 'operator token ci' },
    limits: { ...before.limits, requestsPerMinute: 7 },
  });
  const { id } = await data('PUT /operator/accounts/by-ref/planned', { name: 'x', plan: 'business' });
  const { key } = await data(`POST /operator/accounts/${id}/keys`, { name: 'x' }, 201);
  const answer = await callApi(waypost, 'GET /api/domains', { headers: { 'X-API-Key': key } });
  expect(answer.headers['ratelimit-limit']).toBe('7');
  // The command line sets limits too, and the process learns of them.
  expect((await runCli(waypost.settings, 'plan', 'set', 'business', 'requestsPerMinute=9000')).code).toBe(0);
  const limit = async () =>
    (await callApi(waypost, 'GET /api/domains', { headers: { 'X-API-Key': key } })).headers[
      'ratelimit-limit'
    ];
  await expect.poll(limit).toBe('9000');
  expect(await data('DELETE /operator/plans/business')).toEqual(before);
  expect(await data('GET /operator/plans')).toHaveLength(5);
});

test.each([
  ['PUT /operator/plans/gold', {}, 'plan'],
  ['PUT /operator/plans/free', { domains: 0 }, 'domains'],
  ['PUT /operator/plans/free', { domain: 1 }, 'domain'],
  ['PUT /operator/plans/free', { storedBytes: '1' }, 'storedBytes'],
  ['GET /operator/domains?status=lost', undefined, 'status'],
  ['POST /operator/domains/x/verify', { force: 1 }, 'force'],
])('%s %j is refused, and the answer names the field', async (route, body, field) => {
  const { status, json } = await ask(route, { body });
  expect({ status, field: json.error?.details?.field }).toEqual({ status: 422, field });
});

test('what an operator does is in the log of the account, with the name of the token', async () => {
  const { id } = await data('PUT /operator/accounts/by-ref/logged', { name: 'Logged', plan: 'pro' });
  await data(`POST /operator/accounts/${id}/keys`, { name: 'CI' }, 201);
  const { link, expiresAt } = await data(`POST /operator/accounts/${id}/sign-in-links`, undefined, 201);
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
  // Nobody can sign in with an invitation here.
  expect((await ask(`POST /operator/accounts/${id}/invitations`, { body: {} })).status).toBe(503);
  const { token: secret } = /#(?<token>.+)$/.exec(link)!.groups!;
  const origin = new URL(link).origin;
  const signedIn = await send(`${origin}/auth/link`, {
    ...{ method: 'POST', body: JSON.stringify({ token: secret }) },
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', Origin: origin },
  });
  expect(signedIn.status).toBeLessThan(300);
  const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0]!;
  const { body } = await send(`${origin}/dashboard/api/audit`, {
    headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' },
  });
  const events = JSON.parse(body.toString()).data as { action: string; actor: object }[];
  const actor = { kind: 'operator', name: 'operator token ci' };
  expect(events.filter(({ action }) => action !== 'session.started')).toMatchObject([
    { action: 'sign_in_link.made', actor, address: '127.0.0.1' },
    { action: 'key.created', actor },
    { action: 'account.created', actor },
  ]);
});

test('who deleted an account, and who set a plan, is in the log of the process, which stays', async () => {
  const { id } = await data('PUT /operator/accounts/by-ref/gone', { name: 'Gone', plan: 'pro' });
  const headers = { Authorization: `Bearer ${OTHER}` };
  const answers = [
    await ask('DELETE /operator/accounts/by-ref/gone', { headers }),
    await ask(`DELETE /operator/accounts/${id}`, { headers }),
    await ask('DELETE /operator/plans/starter', { headers }),
  ];
  const expected = [
    ['deleteAccountByRef', '/operator/accounts/by-ref/gone', 200],
    ['deleteAccount', `/operator/accounts/${id}`, 404],
    ['resetPlan', '/operator/plans/starter', 200],
  ].map(([operationId, path, status], i) => ({
    ...{ msg: 'operator request', token: 'next', client: '127.0.0.1', operationId, path, status },
    requestId: answers[i]!.headers['x-request-id'],
  }));
  const requestIds = new Set(answers.map((one) => one.headers['x-request-id']));
  await vi.waitFor(() => {
    const lines = waypost.process.stderr().split('\n').filter(Boolean);
    const ofThese = lines.map((line) => JSON.parse(line)).filter((one) => requestIds.has(one.requestId));
    expect(ofThese).toMatchObject(expected);
  }, SOON);
  expect(waypost.process.stderr()).not.toContain('op_live_');
});

test('the doctor is asked, and answers later', async () => {
  const { id } = await data('PUT /operator/accounts/by-ref/examined', { name: 'Examined', plan: 'pro' });
  const hostname = 'examined.example.net';
  const { id: domainId } = await data(`PUT /operator/accounts/${id}/domains/${hostname}`, {});
  await data(`POST /operator/domains/${domainId}/verify`, { force: true });
  const asked = await data('POST /operator/examinations', { hostname }, 202);
  expect(asked).toMatchObject({ hostname, askedBy: 'operator token ci', result: null });
  const status = async () => (await data(`GET /operator/examinations/${asked.id}`)).status;
  await expect.poll(status).toBe('healthy');
  const ended = await data(`GET /operator/examinations/${asked.id}`);
  expect(ended.result).toMatchObject({ sites: 1, problems: [] });
  expect(await data('GET /operator/examinations?limit=1')).toEqual([ended]);
  const unknown = await ask('POST /operator/examinations', { body: { hostname: 'nobody.example.net' } });
  expect(unknown.status).toBe(404);
});
