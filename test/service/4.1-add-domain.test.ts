/** Spec 4.1, spec D11, D24 and D25: registering hostnames. */
import { expect, test } from 'vitest';
import { createCustomer, uniqueHostname } from './support/customer.ts';
import { isOnS3 } from './support/store.ts';
import { CNAME_BASE, RESERVED_HOSTNAME, useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const [customer, other] = [await createCustomer(waypost), await createCustomer(waypost)];

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
  ['in lower case, without the trailing dot', 'Maps.EXAMPLE.com.', 'maps.example.com'],
  ['as A-labels', 'карты.пример.com', 'xn--80atti9b.xn--e1afmkfd.com'],
  ...(isOnS3 ? [] : ['localhost', 'test', 'example']).map((top) => [
    `below .${top}, in all in one`,
    `a.${top}`,
    `a.${top}`,
  ]),
])('spec D24 a hostname is kept %s', async (_how, given, kept) => {
  const { status, json } = await create(given);
  expect({ status, hostname: json.data?.hostname }).toEqual({ status: 201, hostname: kept });
});

test.each([
  ['an IPv4 address', '192.0.2.1'],
  ['a single label', 'example'],
  ['the base of CNAME targets', CNAME_BASE],
  ['a name below it', `x.${CNAME_BASE}`],
  ['a reserved name', RESERVED_HOSTNAME],
  ['a name that is reserved in another spelling', 'maps.xn--bcher-kva.de'],
  ['a reserved name below .localhost', 'maps.ours.localhost'],
  ['a name below a reserved one', `Maps.${RESERVED_HOSTNAME}.`],
  ...(isOnS3 ? ['localhost', 'test', 'example'] : []).map((top): [string, string] => [
    `.${top}`,
    `maps.${top}`,
  ]),
  ['an empty string', ''],
  ['a NUL', 'maps.example.com\0'],
  ['null', null],
  ['a number', 5],
])('spec D24 refused as a hostname: %s', async (_what, given) => {
  const { status, json } = await create(given);
  expect({ status, code: json.error?.code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
  expect(json.error.details).toMatchObject({ field: 'hostname', value: given });
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

test('4.1 and spec D11 exactly as many of 20 requests at once succeed as the plan allows', async () => {
  const limited = await createCustomer(waypost, 'pro');
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(uniqueHostname(), limited)));
  const statuses = answers.map((answer) => answer.status).sort();
  expect(statuses).toEqual([...Array(5).fill(201), ...Array(15).fill(422)]);
  const { json } = await limited.call('GET /api/domains');
  const created = answers.filter(({ status }) => status === 201).map((answer) => answer.json.data.id);
  expect(json.data.map(({ id }: { id: string }) => id).sort()).toEqual(created.sort());

  const over = await create(uniqueHostname(), limited);
  expect(over).toMatchObject({ status: 422, json: { error: { code: 'VALIDATION_ERROR' } } });
  await limited.call(`DELETE /api/domains/${created[0]}`);
  expect((await create(uniqueHostname(), limited)).status).toBe(201);
});

test('4.1 only one of 20 requests at once for one hostname succeeds', async () => {
  const hostname = uniqueHostname();
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(hostname)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(19).fill(409)]);
});

test('hostnames are looked at before they are registered, up to 50 at once', async () => {
  const { hostname: mine } = await customer.createDomain(uniqueHostname());
  const check = (query: string) => customer.call(`GET /api/domains/check${query}`);
  const { status, json } = await check(`?hostname=${mine},www.acme-shop.co.uk,co.uk,b%C3%BCcher-m.com`);
  expect(status).toBe(200);
  expect(json.pagination).toEqual({ hasMore: false });
  expect(json.data).toMatchObject([
    { given: mine, hostname: mine, state: 'yours' },
    { hostname: 'www.acme-shop.co.uk', state: 'website', suggestion: 'sitemaps.acme-shop.co.uk' },
    { given: 'co.uk', hostname: null, state: 'invalid', message: expect.stringMatching(/public suffix/) },
    { hostname: expect.stringMatching(/^xn--/), unicode: 'bücher-m.com', state: 'website' },
  ]);
  const many = Array.from({ length: 51 }, (_, n) => `a${n}.example.com`);
  for (const query of ['', '?hostname=a.example.com&hostname=b.example.com', `?hostname=${many}`])
    expect((await check(query)).json).toMatchObject({ error: { details: { field: 'hostname' } } });
  expect((await check('?host=a.example.com')).status).toBe(422);
});

test('whoever says that no website uses a name gets no warning, and can say so later', async () => {
  const hostname = `www.${uniqueHostname('com')}`;
  const { json } = await customer.call('POST /api/domains', { body: { hostname } });
  expect(json.data.warnings).toEqual([expect.stringMatching(/Don't change its DNS/)]);
  const path = `/api/domains/${json.data.id}`;
  expect((await customer.call(`GET ${path}`)).json.data.website).toBe(true);
  const said = await customer.call(`PATCH ${path}`, { body: { website: false } });
  expect(said.json.data.website).toBe(false);
  expect((await customer.call(`PATCH ${path}`, { body: { website: 'no' } })).status).toBe(422);
  await customer.call(`DELETE ${path}`);
  const silent = await customer.call('POST /api/domains', { body: { hostname, website: false } });
  expect(silent.json.data).not.toHaveProperty('warnings');
});
