/** Idempotency-Key: a request that is sent again, to any process, is done once (spec D62). */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { type ApiAnswer, type Customer, createCustomer, customerWith } from './support/customer.ts';
import { entries, inPieces, uploadDocument } from './support/entries.ts';
import { head, openConnection } from './support/raw-connection.ts';
import { startTwoOfEach } from './support/two-of-each.ts';
import { cli } from './support/waypost.ts';

const UPLOADS_PER_ACCOUNT = 8;
const many = await startTwoOfEach({
  WEBHOOK_SECRET: 'a secret of the service tests that has 32 characters',
  INDEXNOW_ENDPOINT: 'http://127.0.0.1:9/indexnow',
  OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
  UPLOADS_PER_ACCOUNT: String(UPLOADS_PER_ACCOUNT),
});
const { sides } = many;
afterAll(async () => {
  await many[Symbol.asyncDispose]();
  expect(many.stderr()).toBe('');
});

/** One customer as a client of each side. */
async function createClients(): Promise<readonly [Customer, Customer]> {
  const first = await createCustomer(sides[0]);
  return [first, customerWith(sides[1], first.accountId, first.key)];
}
const clients = await createClients();
const [here, there] = clients;
const under = (key: string, headers = {}) => ({ headers: { ...headers, 'Idempotency-Key': key } });
const fieldOf = ({ json }: ApiAnswer) => json.error.details?.field;

function expectReplay(answer: ApiAnswer, first: ApiAnswer): void {
  expect(answer.headers['idempotency-replayed']).toBe('true');
  expect(answer.status).toBe(first.status);
  expect(answer.body.toString()).toBe(first.body.toString());
  expect(answer.headers['content-type']).toBe(first.headers['content-type']);
  expect(answer.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  expect(first.headers['idempotency-replayed']).toBeUndefined();
}
function expectOtherRequest(answer: ApiAnswer): void {
  expect(answer.status).toBe(422);
  expect(answer.json.error).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { field: 'Idempotency-Key', value: expect.any(String) },
  });
}
async function uploadIdOf(customer: Customer, domainId: string): Promise<string> {
  const { json } = await customer.call(`GET /api/domains/${domainId}/sitemaps/default/changes`);
  return json.data.uploadId;
}

test('D62 an upload that is sent again gets the first answer at every process, and is published once', async () => {
  const domain = await here.verifiedDomain();
  const key = randomUUID();
  const body = { domain: domain.hostname, urls: entries(2500), sizeLimit: 'gsc-optimized', pingSearch: true };
  const first = await here.upload(body, under(key));
  expect(first.status).toBe(200);
  const uploadId = await uploadIdOf(here, domain.id);
  await here.publish({ domain: domain.hostname, sitemapName: 'other', urls: entries(1) });
  for (const client of [here, there, here]) expectReplay(await client.upload(body, under(key)), first);
  expect(await uploadIdOf(there, domain.id)).toBe(uploadId);
  // In chunks, without a length.
  const pieces = inPieces(Buffer.from(JSON.stringify(body)), 10_000);
  expectReplay(await there.upload(pieces, under(key, { 'Content-Type': 'application/json' })), first);
  // Without the key, or under another one, it is a new upload.
  const forced = { ...body, force: true };
  expect((await there.upload(forced, under(`${key}2`))).headers['idempotency-replayed']).toBeUndefined();
  expect(await uploadIdOf(here, domain.id)).not.toBe(uploadId);
});

test('D62 another body, query or type under the same key is refused, and changes nothing', async () => {
  const domain = await here.verifiedDomain();
  const key = randomUUID();
  const document = (urls: object[]) => Buffer.from(JSON.stringify({ domain: domain.hostname, urls }));
  const body = document(entries(100));
  const JSON_TYPE = { 'Content-Type': 'application/json' };
  const first = await here.upload(body, under(key, JSON_TYPE));
  expect(first.status).toBe(200);
  const uploadId = await uploadIdOf(here, domain.id);

  const sameLength = document(entries(100).reverse());
  expect(sameLength.length).toBe(body.length);
  const longer = document(entries(101));
  const others = [
    sameLength,
    inPieces(sameLength, 1000),
    document(entries(99)),
    longer,
    inPieces(longer, 1000),
  ];
  for (const other of [...others, Buffer.alloc(50_000_000)]) {
    expectOtherRequest(await there.upload(other, under(key, JSON_TYPE)));
  }
  const otherHeads = [
    { 'Content-Type': 'application/json; charset=utf-8' },
    { ...JSON_TYPE, 'Content-Encoding': 'gzip' },
  ];
  for (const headers of otherHeads) expectOtherRequest(await there.upload(body, under(key, headers)));
  const withQuery = 'POST /api/sitemap/generate?pingSearch=true';
  expectOtherRequest(await there.call(withQuery, { body, ...under(key, JSON_TYPE) }));
  expect(await uploadIdOf(here, domain.id)).toBe(uploadId);
  expectReplay(await there.upload(body, under(key, JSON_TYPE)), first);
});

test('D62 compressed bodies are compared as they were sent', async () => {
  const domain = await here.verifiedDomain();
  const key = randomUUID();
  const body = gzipSync(Buffer.concat([...uploadDocument({ domain: domain.hostname }, 3000)]));
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  const first = await here.upload(body, under(key, headers));
  expect(first.status).toBe(200);
  expectReplay(await there.upload(body, under(key, headers)), first);
  expectReplay(await there.upload(inPieces(body, 7), under(key, headers)), first);
  const other = gzipSync(Buffer.concat([...uploadDocument({ domain: domain.hostname }, 3001)]));
  expectOtherRequest(await there.upload(other, under(key, headers)));
});

test('D62 a key belongs to an account and a path', async () => {
  const key = randomUUID();
  const stranger = await createCustomer(sides[0]);
  const created = await here.call('POST /api/domains', {
    body: { hostname: 'a.keys.example.com' },
    ...under(key),
  });
  expect(created.status).toBe(201);
  const body = { hostname: 'b.keys.example.com' };
  expect((await stranger.call('POST /api/domains', { body, ...under(key) })).status).toBe(201);
  const hook = { body: { url: 'http://127.0.0.1:9/' }, ...under(key) };
  expect((await here.call('POST /api/webhooks', hook)).status).toBe(201);
  // Only POST uses the key.
  expect((await here.call('GET /api/domains', under('two words'))).status).toBe(200);
  const path = `/api/domains/${created.json.data.id}`;
  expect((await here.call(`DELETE ${path}`, under(key))).status).toBe(200);
  expect((await here.call(`DELETE ${path}`, under(key))).status).toBe(404);
});

test('D62 while the first is under way, another one is told to wait, before its body is read', async () => {
  const domain = await here.verifiedDomain();
  const key = randomUUID();
  const document = Buffer.concat([...uploadDocument({ domain: domain.hostname }, 3000)]);
  const headers = { 'X-API-Key': here.key, 'Content-Type': 'application/json', 'Idempotency-Key': key };
  await using connection = await openConnection(sides[0].apiUrl);
  const length = { 'Content-Length': document.length, Expect: '100-continue' };
  connection.write(head('POST /api/sitemap/generate', { Host: 'api', ...headers, ...length }));
  await connection.receives(/^HTTP\/1\.1 100 /);
  connection.write(document.subarray(0, -1));

  for (const client of clients) {
    const meanwhile = await client.upload(undefined, { headers: { ...headers, ...length } });
    expect(meanwhile).toMatchObject({ status: 409, wasContinued: false });
    expect(meanwhile.json.error).toMatchObject({ code: 'CONFLICT', details: { field: 'Idempotency-Key' } });
    expect(meanwhile.headers['retry-after']).toMatch(/^[1-9]\d?$/);
  }
  connection.write(document.subarray(-1));
  await connection.receives(/HTTP\/1\.1 200 .*\}$/s);
  const again = await there.upload(document, { headers });
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(connection.received()).toContain(again.body.toString());
});

test('D62 after a refusal, or a client that went away, the key is free', async () => {
  const domain = await here.verifiedDomain();
  const key = randomUUID();
  const refused = { domain: domain.hostname, urls: [...entries(5), { loc: 'none' }] };
  for (const client of [here, there, here]) {
    const answer = await client.upload(refused, under(key));
    expect({ status: answer.status, field: fieldOf(answer) }).toEqual({ status: 422, field: 'urls[5].loc' });
    expect(answer.headers['idempotency-replayed']).toBeUndefined();
  }
  const headers = { 'X-API-Key': here.key, 'Content-Type': 'application/json', 'Idempotency-Key': key };
  const connection = await openConnection(sides[0].apiUrl);
  const length = { 'Content-Length': 1_000_000, Expect: '100-continue' };
  connection.write(head('POST /api/sitemap/generate', { Host: 'api', ...headers, ...length }));
  await connection.receives(/^HTTP\/1\.1 100 /);
  connection.socket.destroy();

  const mended = { domain: domain.hostname, urls: entries(5) };
  const first = await vi.waitFor(async () => {
    const answer = await there.upload(mended, under(key));
    expect(answer.status).toBe(200);
    return answer;
  }, SOON);
  expectReplay(await here.upload(mended, under(key)), first);
});

test('D62 of many at the same instant one is done', async () => {
  const domain = await here.verifiedDomain();
  for (let round = 0; round < 5; round++) {
    const key = randomUUID();
    const bodies = [1, 2].map((count) => ({ domain: domain.hostname, urls: entries(count) }));
    const answers = await Promise.all(
      Array.from({ length: UPLOADS_PER_ACCOUNT }, (_, n) =>
        clients[n % 2 ? 1 : 0].upload(bodies[n % 3 ? 0 : 1], under(key)),
      ),
    );
    const done = answers.filter(({ status }) => status === 200);
    const [first, ...others] = done.filter(({ headers }) => headers['idempotency-replayed'] === undefined);
    expect(others).toEqual([]);
    for (const { body } of done) expect(body.toString()).toBe(first!.body.toString());
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect([409, 422]).toContain(answer.status);
      expect(fieldOf(answer)).toBe('Idempotency-Key');
    }
  }
});

test('D62 every POST gives its first answer again, secrets too', async () => {
  const key = randomUUID();
  const once = async (path: string, body?: object) => {
    const first = await here.call(`POST ${path}`, { body, ...under(key) });
    expect(first.status).toBeLessThan(300);
    for (const client of clients) {
      expectReplay(await client.call(`POST ${path}`, { body, ...under(key) }), first);
    }
    return first.json.data;
  };
  const domain = await once('/api/domains', { hostname: 'once.example.com' });
  await here.call(`PATCH /api/domains/${domain.id}`, { body: { indexNow: { enabled: true } } });
  await once(`/api/domains/${domain.id}/verify`);
  await once(`/api/domains/${domain.id}/indexnow/verify`, { host: '127.0.0.1:9' });
  await once(`/api/domains/${domain.id}/page-hosts/check`);
  const webhook = await once('/api/webhooks', { url: 'http://127.0.0.1:9/' });
  expect(webhook.secret).toMatch(/^whsec_/);
  const { eventId } = await once(`/api/webhooks/${webhook.id}/test`);
  await once(`/api/webhooks/${webhook.id}/deliveries/${eventId}/retry`);
  const rotated = await once(`/api/webhooks/${webhook.id}/rotate`);
  expect(rotated.secret).not.toBe(webhook.secret);
  const { json } = await here.call(`GET /api/webhooks/${webhook.id}/deliveries`);
  expect(json.data).toHaveLength(1);
});

test('D62 a key has 1 to 255 visible ASCII characters', async () => {
  const body = { hostname: 'none' };
  for (const key of ['', 'a b', 'ü', 'x'.repeat(256), ['a', 'b']]) {
    const answer = await here.call('POST /api/domains', { body, headers: { 'Idempotency-Key': key } });
    expect({ key, status: answer.status, code: answer.json.error.code }).toEqual({
      ...{ key, status: 400, code: 'BAD_REQUEST' },
    });
    expect(answer.json.error.message).toContain('Idempotency-Key');
  }
  for (const key of ['a', '"quoted"', 'x'.repeat(255), '!~']) {
    expect((await here.call('POST /api/domains', { body, ...under(key) })).status).toBe(422);
  }
});

test('D62 a suspended account gets no former answer', async () => {
  const customer = await createCustomer(sides[0]);
  const request = { body: { hostname: 'suspended.example.com' }, ...under(randomUUID()) };
  const first = await customer.call('POST /api/domains', request);
  expect(first.status).toBe(201);
  await cli(many.dataDir, 'account', 'suspend', customer.accountId);
  expect((await customer.call('POST /api/domains', request)).status).toBe(403);
  await cli(many.dataDir, 'account', 'resume', customer.accountId);
  expectReplay(await customer.call('POST /api/domains', request), first);
});
