/** Spec 5, spec D18: keys, the two headers that carry them, and the callers that get in. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { callApi, createCustomer } from './support/customer.ts';
import { head, openConnection } from './support/raw-connection.ts';
import { send } from './support/send.ts';
import { useWaypost } from './support/use-waypost.ts';
import { cli, runCli } from './support/waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const { key } = customer;
const secondKey = await cli(waypost.dataDir, 'key', 'create', customer.accountId, 'second');

async function statusWith(headers: Record<string, string | string[]>, route = 'GET /api/domains') {
  return (await callApi(waypost, route, { headers })).status;
}

test('2.2 a key is sk_live_ and 32 letters and digits', () => {
  expect(key).toMatch(/^sk_live_[0-9A-Za-z]{32}$/);
  expect(secondKey).not.toBe(key);
});

test('2.2 only a hash of the key is stored', async () => {
  const connectionString = await readFile(join(waypost.dataDir, 'postgres', 'url'), 'utf8');
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query('SELECT api_keys::text AS text FROM api_keys');
  await client.end();
  expect(rows.length).toBeGreaterThan(1);
  for (const { text } of rows) {
    expect(text).not.toContain(key.slice(8));
    expect(text).not.toContain(Buffer.from(key).toString('hex'));
  }
});

test.each([
  ['X-API-Key', { 'X-API-Key': key }],
  ['Authorization: Bearer', { Authorization: `Bearer ${key}` }],
  ['the header names in other case', { 'x-api-KEY': key }],
  ['bearer in lower case (RFC 9110)', { AUTHORIZATION: `bearer ${key}` }],
  ['both, when they agree', { 'X-API-Key': key, Authorization: `Bearer ${key}` }],
])('5.1 a key is taken from %s', async (_where, headers) => {
  expect(await statusWith(headers)).toBe(200);
});

const bad: [string, Record<string, string>][] = [
  ['no key', {}],
  ['an empty X-API-Key', { 'X-API-Key': '' }],
  ['an empty bearer', { Authorization: 'Bearer ' }],
  ['an unknown key', { 'X-API-Key': `sk_live_${'a'.repeat(32)}` }],
  ['a key in upper case', { 'X-API-Key': key.toUpperCase() }],
  ['a key cut short', { 'X-API-Key': key.slice(0, -1) }],
  ['a key with more behind it', { 'X-API-Key': `${key}a` }],
  ['a key without its prefix', { 'X-API-Key': key.slice(8) }],
  ['a bearer as X-API-Key', { 'X-API-Key': `Bearer ${key}` }],
  ['a key without a scheme', { Authorization: key }],
  ['another scheme', { Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }],
  ['the key as Basic', { Authorization: `Basic ${key}` }],
  ['two keys in one field', { 'X-API-Key': `${key}, ${key}` }],
  ['both headers with different keys', { 'X-API-Key': key, Authorization: `Bearer ${secondKey}` }],
  ['both headers, one of them wrong', { 'X-API-Key': key, Authorization: 'Bearer x' }],
  ['both headers, one of another scheme', { 'X-API-Key': key, Authorization: 'Basic eDp5' }],
  ['both headers, one of them empty', { 'X-API-Key': '', Authorization: `Bearer ${key}` }],
  ['two blanks behind Bearer', { Authorization: `Bearer  ${key}` }],
  ['a tab behind Bearer', { Authorization: `Bearer\t${key}` }],
  ['a tab before the key', { Authorization: `Bearer \t${key}` }],
  ['a no-break space before the key', { 'X-API-Key': `\xa0${key}` }],
  ['a no-break space behind the key', { Authorization: `Bearer ${key}\xa0` }],
  ['a blank in the key', { 'X-API-Key': `${key.slice(0, 20)} ${key.slice(20)}` }],
  ['a %20 behind the key', { 'X-API-Key': `${key}%20` }],
];

test.each(bad)('5.2 401 for %s', async (_what, headers) => {
  const { status, json, headers: answered } = await callApi(waypost, 'GET /api/domains', { headers });
  expect({ status, code: json.error?.code }).toEqual({ status: 401, code: 'UNAUTHORIZED' });
  // RFC 9110, section 15.5.2
  expect(answered['www-authenticate']).toBe('Bearer realm="waypost"');
  expect(json.error.message).toMatch(/invalid or missing/);
});

test('spec D18 the body of a 401 is the same for every cause and every endpoint', async () => {
  const bodies = new Set<string>();
  for (const [, headers] of bad) {
    bodies.add((await send(`${waypost.apiUrl}/api/domains`, { headers })).body.toString());
  }
  for (const [method, path] of [
    ['POST', '/api/domains'],
    ['GET', '/api/domains/domain_0000000000000000000000'],
    ['DELETE', '/api/domains/domain_0000000000000000000000'],
    ['POST', '/api/domains/domain_0000000000000000000000/verify'],
    ['GET', '/api/domains/domain_0000000000000000000000/sitemaps'],
    ['DELETE', '/api/domains/domain_0000000000000000000000/sitemaps/default'],
    ['POST', '/api/domains/domain_0000000000000000000000/sitemaps/default/rollback'],
    ['GET', '/api/domains/domain_0000000000000000000000/uploads'],
    ['GET', '/api/uploads/upload_0000000000000000000000'],
    ['POST', '/api/sitemap/generate'],
  ] as const) {
    const answer = await send(waypost.apiUrl + path, { method, body: method === 'POST' ? '{}' : undefined });
    expect({ path, status: answer.status }).toEqual({ path, status: 401 });
    bodies.add(answer.body.toString());
  }
  expect([...bodies]).toHaveLength(1);
});

test.each([
  ['X-API-Key', `X-API-Key: ${key}\r\nX-API-Key: ${key}`],
  ['X-API-Key with another', `X-API-Key: ${key}\r\nX-API-Key: ${secondKey}`],
  ['Authorization', `Authorization: Bearer ${key}\r\nauthorization: Bearer ${secondKey}`],
])('spec D18 a key in two lines of %s is refused', async (_what, lines) => {
  await using connection = await openConnection(waypost.apiUrl);
  connection.write(head('GET /api/domains', { Host: 'api' }).replace('\r\n\r\n', `\r\n${lines}\r\n\r\n`));
  const [, status] = await connection.receives(/^HTTP\/1\.1 (\d+)[\s\S]*\r\n\r\n\{/);
  expect(['400', '401']).toContain(status);
});

test('5.4 a revoked key stops working at once, and other keys continue', async () => {
  const doomed = await cli(waypost.dataDir, 'key', 'create', customer.accountId, 'doomed');
  expect(await statusWith({ 'X-API-Key': doomed })).toBe(200);
  const list = await cli(waypost.dataDir, 'key', 'list', customer.accountId);
  const line = list.split('\n').find((text) => text.includes('doomed')) ?? '';
  // 2.2 The list has names, prefixes and times, and never shows a key.
  expect(line).toContain('sk_live_');
  expect(line).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
  for (const shown of [key, secondKey, doomed]) expect(list).not.toContain(shown.slice(8));
  const [id = ''] = /key_[0-9A-Za-z]{22}/.exec(line) ?? [];
  await cli(waypost.dataDir, 'key', 'revoke', id);
  expect(await statusWith({ 'X-API-Key': doomed })).toBe(401);
  expect(await statusWith({ Authorization: `Bearer ${doomed}` })).toBe(401);
  expect(await statusWith({ 'X-API-Key': key })).toBe(200);
  // Rotation: the new key can do everything that the old one could.
  expect(await statusWith({ 'X-API-Key': secondKey })).toBe(200);
});

test('5.6 every key sees everything that another key of the account made', async () => {
  const { id } = await customer.createDomain();
  const headers = { 'X-API-Key': secondKey };
  expect(await statusWith(headers, `GET /api/domains/${id}`)).toBe(200);
  expect(await statusWith(headers, `POST /api/domains/${id}/verify`)).toBe(200);
  expect(await statusWith(headers, `DELETE /api/domains/${id}`)).toBe(200);
});

test('the command line says what it cannot do', async () => {
  const unknown = await runCli({ DATA_DIR: waypost.dataDir }, 'frobnicate');
  expect(unknown.code).not.toBe(0);
  expect(unknown.stderr).toMatch(/unknown command/);
  const nowhere = await runCli({ DATA_DIR: join(waypost.dataDir, 'nothing') }, 'account', 'list');
  expect(nowhere).toMatchObject({ code: 78, stderr: expect.stringContaining('DATABASE_URL') });
});

test('a name with escape sequences is refused, and none of them reach the terminal', async () => {
  const { code, stderr } = await runCli(
    { DATA_DIR: waypost.dataDir },
    ...['account', 'create', '\x1b[2Jgone\u202e'],
  );
  expect({ code, stderr }).toMatchObject({ code: 78, stderr: expect.stringContaining('control characters') });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(stderr).not.toMatch(/[\x1b\u202e]/);
});
