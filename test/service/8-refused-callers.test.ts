/** Refused callers, by client address and by account, and the log lines about them. */
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { callApi, createCustomer, customerWith } from './support/customer.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { cli, runCli } from './support/waypost.ts';

const FAILURES = 5;
const INFO = 30;

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly client?: string;
  readonly requestId?: string;
  readonly accountId?: string;
}

const waypost = await useOwnWaypost(
  // Each test is a client of its own.
  { TRUSTED_PROXIES: '1', AUTH_FAILURES_PER_MINUTE: String(FAILURES), LOG_LEVEL: 'info' },
  (line) => parseLine(line).level <= INFO || parseLine(line).msg.startsWith('client blocked'),
);
const customer = await createCustomer(waypost);
const logged = () => waypost.process.stderr().trim().split('\n').map(parseLine);

function parseLine(line: string): LogLine {
  return JSON.parse(line);
}

async function statusFrom(client: string, key = `sk_live_${'x'.repeat(32)}`) {
  const headers = { 'X-API-Key': key, 'X-Forwarded-For': client };
  return (await callApi(waypost, 'GET /api/domains', { headers })).status;
}

test('lines of a request have its trace', async () => {
  const trace = 'abcdef0123456789abcdef0123456789';
  const headers = {
    'X-API-Key': 'wrong',
    'X-Forwarded-For': '198.51.100.77',
    traceparent: `00-${trace}-00f067aa0ba902b7-00`,
  };
  expect((await callApi(waypost, 'GET /api/domains', { headers })).status).toBe(401);
  expect(logged().find(({ client }) => client === '198.51.100.77')).toMatchObject({ traceId: trace });
});

test('an overlong or malformed forwarded address gets the same 401', async () => {
  expect(await statusFrom('1'.repeat(300))).toBe(401);
  expect(await statusFrom('2001:db8::1, nonsense')).toBe(401);
  // Nearly as many bytes as Node takes for all headers.
  expect(await statusFrom('1,'.repeat(7900))).toBe(401);
  expect(await statusFrom(':'.repeat(15_800))).toBe(401);
});

test('all addresses of one IPv6 /64 are one client', async () => {
  for (let n = 0; n < FAILURES; n++) expect(await statusFrom(`2001:db8:1:2::${n}`)).toBe(401);
  expect(await statusFrom('2001:db8:1:2:ffff::1')).toBe(429);
  expect(await statusFrom('2001:db8:1:3::1')).toBe(401);
});

test('a client with too many failures gets in only with a key that was valid lately, until it is revoked', async () => {
  const client = '192.0.2.7';
  const fresh = await cli(waypost.dataDir, 'key', 'create', customer.accountId, 'fresh');
  await customer.call('GET /api/domains');
  for (let n = 0; n < FAILURES; n++) expect(await statusFrom(client)).toBe(401);
  expect(await statusFrom(client)).toBe(429);
  expect(await statusFrom(client, customer.key)).toBe(200);
  expect(await statusFrom(client, fresh)).toBe(429);
  expect(await statusFrom('192.0.2.8', fresh)).toBe(200);
  expect(await statusFrom(client, fresh)).toBe(200);

  const list = await cli(waypost.dataDir, 'key', 'list', customer.accountId);
  const [id = ''] =
    /key_[0-9A-Za-z]{22}/.exec(list.split('\n').find((line) => line.includes('fresh')) ?? '') ?? [];
  const { stderr } = await runCli({ DATA_DIR: waypost.dataDir, LOG_LEVEL: 'info' }, 'key', 'revoke', id);
  expect(await statusFrom('192.0.2.8', fresh)).toBe(401);
  expect(await statusFrom(client, fresh)).toBe(429);
  expect(JSON.parse(stderr)).toMatchObject({ accountId: customer.accountId, keyId: id, msg: 'key revoked' });
});

test('an account that never pauses still learns its limits, and a larger plan lets it through', async () => {
  const greedy = await createCustomer(waypost, 'free');
  const call = () => greedy.call('GET /api/domains');
  for (let n = 0; n < 5 + 21; n++) await call();
  const answers = await Promise.all(Array.from({ length: 10 }, call));
  for (const { status, headers } of answers) {
    expect(status).toBe(429);
    expect(headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '0' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  }
  const said = await vi.waitFor(() => {
    const lines = logged().filter(({ accountId }) => accountId === greedy.accountId);
    const found = lines.filter(({ msg }) => /over its limit/.test(msg));
    expect(found).not.toEqual([]);
    return found;
  }, SOON);
  // One line a minute, and a new minute may have begun.
  expect([1, 2]).toContain(said.length);
  expect(said[0]).toMatchObject({ plan: 'free', requestsPerMinute: 5 });
  await cli(waypost.dataDir, 'account', 'set-plan', greedy.accountId, 'business');
  await vi.waitFor(async () => expect((await call()).status).toBe(200), SOON);
  expect((await call()).headers['ratelimit-limit']).toBe('500');
});

test('the log records failed authentications, blocked clients and refused access', async () => {
  const { id } = await customer.createDomain();
  const other = await createCustomer(waypost);
  const refused = await other.call(`DELETE /api/domains/${id}`);
  expect(refused.status).toBe(403);
  await vi.waitFor(() => {
    const lines = logged();
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'authentication failed', client: '2001:db8:1:2::/64' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: expect.stringContaining('client blocked'), client: '192.0.2.7' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'access refused',
        requestId: refused.headers['x-request-id'],
        accountId: other.accountId,
        keyId: expect.stringMatching(/^key_/),
        path: `/api/domains/${id}`,
      }),
    );
  }, SOON);
  expect(waypost.process.stderr()).not.toContain('sk_live');
});

test('the log line for a new key has its id and not the key', async () => {
  const environment = { DATA_DIR: waypost.dataDir, LOG_LEVEL: 'info' };
  const { stdout, stderr } = await runCli(environment, 'key', 'create', customer.accountId, 'logged');
  const key = stdout.trim();
  expect(JSON.parse(stderr)).toMatchObject({
    accountId: customer.accountId,
    keyId: expect.stringMatching(/^key_/),
    msg: 'key created',
  });
  expect(stderr).not.toContain(key.slice(8));
  expect((await customerWith(waypost, customer.accountId, key).call('GET /api/domains')).status).toBe(200);
});
