/** The operator's API: who gets in, and each operation as it is described. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { Judge, readDescription } from '../support/api-description.ts';
import { callApi, checkEnvelope } from './support/customer.ts';
import { send } from './support/send.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { runCli } from './support/waypost.ts';

const port = String(await freePort());
const made = await runCli({}, 'operator-token', 'ci');
const [, token] = /(op_live_\S+)/.exec(made.stdout) ?? [];
const [, entry] = /OPERATOR_TOKENS=(\S+)/.exec(made.stdout) ?? [];
const OTHER = `op_live_${randomBytes(32).toString('base64url')}`;
const hash = createHash('sha256').update(OTHER).digest('hex');
const waypost = await useOwnWaypost({ OPERATOR_PORT: port, OPERATOR_TOKENS: `${entry}, next:${hash}` });

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
    // Nobody resumes an account by the way.
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
