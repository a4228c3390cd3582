/** Spec 4.1, spec D11, D24 and D25: registering hostnames. */
import { expect, test } from 'vitest';
import { createCustomer, uniqueHostname } from './support/customer.ts';
import { isOnS3 } from './support/store.ts';
import { CNAME_BASE, RESERVED_HOSTNAME, useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);

const label63 = 'a'.repeat(63);
/** 253 characters. */
const longest = `${label63}.${label63}.${label63}.${'a'.repeat(57)}.com`;

function create(hostname: unknown, by = customer) {
  return by.call('POST /api/domains', { body: { hostname } });
}

test('4.1 a new hostname waits for its verification', async () => {
  const before = Math.floor(Date.now() / 1000) * 1000;
  const hostname = uniqueHostname('example.com');
  const { status, json } = await create(hostname);
  expect(status).toBe(201);
  expect(json).toEqual({
    success: true,
    data: {
      id: expect.stringMatching(/^domain_[0-9A-Za-z]{22}$/),
      hostname,
      status: 'pending_verification',
      sslStatus: 'pending',
      cnameTarget: expect.stringMatching(/^[a-z2-7]{32}\./),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  });
  expect(json.data.cnameTarget.endsWith(`.${CNAME_BASE}`)).toBe(true);
  expect(Date.parse(json.data.createdAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(json.data.createdAt)).toBeLessThanOrEqual(Date.now());
});

test('4.1 a registered hostname is a conflict for its account in every spelling, and for no other', async () => {
  const other = await createCustomer(waypost);
  const hostname = uniqueHostname('bücher.example.com');
  expect((await create(hostname)).status).toBe(201);
  const ascii = hostname.replace('bücher', 'xn--bcher-kva');
  for (const written of [hostname, ascii, hostname.toUpperCase(), `${hostname}.`, ascii.toUpperCase()]) {
    const { status, json } = await create(written);
    expect({ written, status, code: json.error.code }).toEqual({ written, status: 409, code: 'CONFLICT' });
  }
  expect((await create(hostname, other)).status).toBe(201);
});

test.each([
  ['in lower case', 'Maps.EXAMPLE.com', 'maps.example.com'],
  ['without the trailing dot', 'dot.example.com.', 'dot.example.com'],
  ['as A-labels', 'карты.пример.com', 'xn--80atti9b.xn--e1afmkfd.com'],
  ['as A-labels in lower case', 'MÜNCHEN.example.com', 'xn--mnchen-3ya.example.com'],
  ['also when it has A-labels already', 'XN--BCHER-KVA.example.com', 'xn--bcher-kva.example.com'],
  ['with labels of 63', `${label63}.example.com`, `${label63}.example.com`],
  ['with 253 characters', longest, longest],
  ...(isOnS3 ? [] : ['localhost', 'test', 'example']).map((top) => [
    `below .${top}, in all in one`,
    `a.${top}`,
    `a.${top}`,
  ]),
  ['below a private suffix', 'customer.github.io', 'customer.github.io'],
  ['with hyphens and digits', '1-2--3.example.com', '1-2--3.example.com'],
])('spec D24 a hostname is kept %s', async (_how, given, kept) => {
  const { status, json } = await create(given);
  expect({ status, hostname: json.data?.hostname }).toEqual({ status: 201, hostname: kept });
});

test.each([
  ['an IPv4 address', '192.0.2.1'],
  ['an IPv4 address of one number', '3221225985'],
  ['a hexadecimal IPv4 address', '0xc0.0.2.1'],
  ['an IPv6 address', '2001:db8::1'],
  ['an IPv6 address in brackets', '[2001:db8::1]'],
  ['a single label', 'example'],
  ['localhost itself', 'localhost'],
  ['a top-level domain', 'com'],
  ['a public suffix', 'co.uk'],
  ['a private suffix', 'github.io'],
  ['a wildcard', '*.example.com'],
  ['an asterisk', '*'],
  ['an underscore', '_maps.example.com'],
  ['a label of 64', `${'a'.repeat(64)}.example.com`],
  ['254 characters', `a${longest}`],
  ['the base of CNAME targets', CNAME_BASE],
  ['a name below it', `x.${CNAME_BASE}`],
  ['a reserved name', RESERVED_HOSTNAME],
  ['a name that is reserved in another spelling', 'maps.xn--bcher-kva.de'],
  ['a reserved name below .localhost', 'maps.ours.localhost'],
  ['a name below a reserved one', `Maps.${RESERVED_HOSTNAME}.`],
  ['.local', 'printer.local'],
  ['.internal', 'db.prod.internal'],
  ['.arpa', '1.2.0.192.in-addr.arpa'],
  ['.onion', 'expyuzz4wqqyqhjn.onion'],
  ['.invalid', 'maps.invalid'],
  ['.alt', 'maps.alt'],
  ['.corp', 'maps.corp'],
  ['.lan', 'maps.lan'],
  ['.home.arpa', 'maps.home.arpa'],
  ...(isOnS3 ? ['localhost', 'test', 'example'] : []).map((top): [string, string] => [
    `.${top}`,
    `maps.${top}`,
  ]),
  ['an empty string', ''],
  ['a dot', '.'],
  ['two trailing dots', 'maps.example.com..'],
  ['an empty label', 'maps..example.com'],
  ['a leading dot', '.maps.example.com'],
  ['a leading hyphen', '-maps.example.com'],
  ['a trailing hyphen', 'maps-.example.com'],
  ['a URL', 'https://maps.example.com'],
  ['a port', 'maps.example.com:443'],
  ['a path', 'maps.example.com/'],
  ['user information', 'me@maps.example.com'],
  ['a blank before it', ' maps.example.com'],
  ['a line feed', 'maps.exam\nple.com'],
  ['a NUL', 'maps.example.com\0'],
  ['percent encoding', 'maps%2eexample.com'],
  ['a zero-width space alone in a label', 'maps.\u200b.example.com'],
  ['null', null],
  ['a number', 5],
  ['an array', ['maps.example.com']],
  ['an object', { name: 'maps.example.com' }],
  ['true', true],
])('spec D24 refused as a hostname: %s', async (_what, given) => {
  const { status, json } = await create(given);
  expect({ status, code: json.error?.code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
  const { field, value } = json.error.details;
  const isLong = typeof given === 'string' && given.length > 256;
  expect({ field, value }).toEqual({ field: 'hostname', value: isLong ? `${given.slice(0, 256)}…` : given });
});

test('4.1 the hostname is required', async () => {
  const { status, json } = await customer.call('POST /api/domains', { body: {} });
  expect(status).toBe(422);
  expect(json.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { field: 'hostname', value: null } });
});

test('spec D13 a long value is cut to 256 characters and marked', async () => {
  const { json } = await create('🗺'.repeat(300));
  expect(json.error.details.value).toBe(`${'🗺'.repeat(256)}…`);
});

test('spec D25 the CNAME target belongs to the account and the hostname', async () => {
  const other = await createCustomer(waypost);
  const [first, second] = [uniqueHostname('example.com'), uniqueHostname('example.com')];
  const mine = await customer.createDomain(first);
  const sibling = await customer.createDomain(second);
  expect(sibling.cnameTarget).not.toBe(mine.cnameTarget);

  await customer.call(`DELETE /api/domains/${mine.id}`);
  const theirs = await other.createDomain(first);
  expect(theirs.cnameTarget).not.toBe(mine.cnameTarget);

  await other.call(`DELETE /api/domains/${theirs.id}`);
  const again = await customer.createDomain(first);
  expect(again.cnameTarget).toBe(mine.cnameTarget);
  expect(again.id).not.toBe(mine.id);
});

test.each([
  ['free', 1],
  ['starter', 3],
  ['pro', 5],
])('4.1 the plan %s allows %i domains', async (plan, limit) => {
  const limited = await createCustomer(waypost, plan);
  const domains = [];
  for (let n = 0; n < limit; n++) domains.push(await limited.createDomain());
  const over = await create(uniqueHostname(), limited);
  expect(over.status).toBe(422);
  expect(over.json.error.code).toBe('VALIDATION_ERROR');

  await limited.call(`DELETE /api/domains/${domains[0]!.id}`);
  expect((await create(uniqueHostname(), limited)).status).toBe(201);
});

test('spec D11 exactly as many of 20 requests at once succeed as the plan allows', async () => {
  const limited = await createCustomer(waypost, 'pro');
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(uniqueHostname(), limited)));
  const statuses = answers.map((answer) => answer.status).sort();
  expect(statuses).toEqual([...Array(5).fill(201), ...Array(15).fill(422)]);
  const { json } = await limited.call('GET /api/domains');
  const created = answers.filter(({ status }) => status === 201).map((answer) => answer.json.data.id);
  expect(json.data.map(({ id }: { id: string }) => id).sort()).toEqual(created.sort());
});

test('4.1 only one of 20 requests at once for one hostname succeeds', async () => {
  const hostname = uniqueHostname();
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(hostname)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(19).fill(409)]);
});
