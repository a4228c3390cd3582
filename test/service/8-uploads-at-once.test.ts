/** docs/decisions/0014: the number of uploads that an account may have under way at once. */
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile, fetchLocs } from './support/crawler.ts';
import { type Customer, callApi, checkEnvelope, createCustomer, customerWith } from './support/customer.ts';
import { entries, inPieces, uploadDocument } from './support/entries.ts';
import { head, lastJson, openConnection } from './support/raw-connection.ts';
import { send } from './support/send.ts';
import { storedUploads } from './support/store.ts';
import { useOwnWaypost } from './support/use-waypost.ts';
import { cli } from './support/waypost.ts';

const LIMIT = 2;
/** The command line starts a process each time. */
const waypost = await useOwnWaypost({
  UPLOADS_PER_ACCOUNT: String(LIMIT),
  UPLOADS_PER_PROCESS: String(3 * LIMIT),
});

/** An upload that has sent all but its last byte, until `end` or `leave` is called. */
async function beginUpload({ key, ...customer }: Customer, hostname: string) {
  const connection = await openConnection(customer.waypost.apiUrl);
  const document = Buffer.concat([...uploadDocument({ domain: hostname }, 3000)]);
  const headers = { Host: 'api', 'X-API-Key': key, 'Content-Type': 'application/json' };
  connection.write(
    head('POST /api/sitemap/generate', {
      ...headers,
      'Content-Length': document.length,
      Expect: '100-continue',
    }),
  );
  // The upload has its slot from here on.
  await connection.receives(/^HTTP\/1\.1 100 /);
  connection.write(document.subarray(0, -1));
  return {
    end: async () => {
      connection.write(document.subarray(-1));
      await connection.receives(/HTTP\/1\.1 200 .*\}$/s);
      const { data } = lastJson(connection.received());
      await connection[Symbol.asyncDispose]();
      return data;
    },
    /** If the upload is refused, this ends it too. */
    refusal: async () => {
      connection.write(document.subarray(-1));
      await connection.receives(/HTTP\/1\.1 [45]\d\d .*\}$/s);
      const { error } = lastJson(connection.received());
      const status = Number(/HTTP\/1\.1 ([45]\d\d)/.exec(connection.received())![1]);
      await connection[Symbol.asyncDispose]();
      return { status, error };
    },
    leave: () => connection[Symbol.asyncDispose](),
  };
}

/** Asks with a body of unknown length: one that is known to be small needs no slot. */
async function isFull(customer: Customer, hostname: string): Promise<boolean> {
  const { status } = await customer.upload(uploadDocument({ domain: hostname }, 1));
  expect([200, 429]).toContain(status);
  return status === 429;
}

test('one upload over the limit is refused before its body is read, until another one ends', async () => {
  const customer = await createCustomer(waypost);
  const { hostname } = await customer.verifiedDomain();
  const uploads = [await beginUpload(customer, hostname), await beginUpload(customer, hostname)];
  const before = await customer.call('GET /api/domains');

  const answer = await send(`${waypost.apiUrl}/api/sitemap/generate`, {
    method: 'POST',
    headers: {
      'X-API-Key': customer.key,
      'Content-Type': 'application/json',
      'Content-Length': 1_000_000,
      Expect: '100-continue',
    },
  });
  expect(answer).toMatchObject({ status: 429, wasContinued: false });
  expect(checkEnvelope(answer).error).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    message: expect.stringContaining(`${LIMIT} uploads`),
  });
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d?$/);
  // The request still counts against the rate limit, and does not exhaust it.
  const remaining = Number(before.headers['ratelimit-remaining']);
  expect(answer.headers['ratelimit-remaining']).toBe(String(remaining - 1));
  // A client that does not wait for 100 Continue gets the same answer.
  const large = await customer.upload(uploadDocument({ domain: hostname }, 300_000));
  expect({ status: large.status, code: large.json.error.code }).toEqual({
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
  });
  // Other requests of the account, parts of its sessions, its small uploads and uploads of other accounts continue.
  expect((await customer.call('GET /api/domains')).status).toBe(200);
  const session = await customer.call('POST /api/upload-sessions', { body: { domain: hostname } });
  const part = `PUT /api/upload-sessions/${session.json.data.id}/parts/1`;
  const chunks = inPieces(Buffer.from(JSON.stringify(entries(2000))), 10_000);
  expect((await customer.call(part, { body: chunks })).status).toBe(200);
  await customer.publish({ domain: hostname, sitemapName: 'small', urls: entries(1) });
  const other = await createCustomer(waypost);
  await other.publish({ domain: (await other.verifiedDomain()).hostname, urls: entries(1) });

  expect(await uploads[0]!.end()).toMatchObject({ urlCount: 3000 });
  await customer.publish({ domain: hostname, sitemapName: 'next', urls: entries(1) });
  expect(await uploads[1]!.end()).toMatchObject({ urlCount: 3000 });
  expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(200);
});

test('refused and aborted uploads hold no slot', async () => {
  const customer = await createCustomer(waypost);
  const { hostname } = await customer.verifiedDomain();
  const stored = await storedUploads(waypost.dataDir);
  for (let n = 0; n <= LIMIT; n++) {
    const bodies = [
      '{',
      { domain: hostname, urls: [] },
      { domain: 'other.example.com', urls: entries(1) },
      { domain: hostname, urls: [...entries(2000), { loc: 'none' }] },
    ];
    for (const body of bodies) expect((await customer.upload(body)).status).not.toBe(429);
    const headers = { 'Content-Encoding': 'br' };
    expect((await customer.upload('x', { headers })).status).toBe(400);
    await (await beginUpload(customer, hostname)).leave();
    await vi.waitFor(async () => expect(await isFull(customer, hostname)).toBe(false), SOON);
  }
  const uploads = [await beginUpload(customer, hostname), await beginUpload(customer, hostname)];
  expect(await isFull(customer, hostname)).toBe(true);
  await uploads[0]!.leave();
  await vi.waitFor(async () => expect(await isFull(customer, hostname)).toBe(false), SOON);
  await uploads[1]!.end();
  // Aborted uploads are deleted. Each published upload leaves one folder until the sweep.
  await vi.waitFor(async () => {
    const added = (await storedUploads(waypost.dataDir)).filter((upload) => !stored.includes(upload));
    expect(added.length).toBeLessThanOrEqual(LIMIT + 3);
  }, SOON);
});

test('exactly the limit of twenty at once is accepted, and each is whole or refused', async () => {
  const customer = await createCustomer(waypost);
  const { hostname } = await customer.verifiedDomain();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      customer.upload(uploadDocument({ domain: hostname, sitemapName: `part-${n}` }, 20_000)),
    ),
  );
  const published = answers.filter(({ status }) => status === 200);
  expect(published.length).toBeGreaterThanOrEqual(LIMIT);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20 - published.length);
  const [domain] = (await customer.call('GET /api/domains')).json.data;
  expect(domain).toMatchObject({ sitemapCount: published.length, urlCount: published.length * 20_000 });
});

test('an upload beyond the limit of the process is refused before its body is read', async () => {
  const owners = await Promise.all(Array.from({ length: 4 }, () => createCustomer(waypost)));
  const domains = await Promise.all(owners.map((owner) => owner.verifiedDomain()));
  const uploads = [];
  for (const at of [0, 0, 1, 1, 2, 2]) uploads.push(await beginUpload(owners[at]!, domains[at]!.hostname));

  const headers = { 'X-API-Key': owners[3]!.key, 'Content-Type': 'application/json' };
  const answer = await send(`${waypost.apiUrl}/api/sitemap/generate`, {
    method: 'POST',
    headers: { ...headers, 'Content-Length': 1_000_000, Expect: '100-continue' },
  });
  expect(answer).toMatchObject({ status: 429, wasContinued: false });
  expect(checkEnvelope(answer).error.code).toBe('RATE_LIMIT_EXCEEDED');
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d?$/);
  expect((await owners[3]!.call('GET /api/domains')).status).toBe(200);
  for (const upload of uploads) expect(await upload.end()).toMatchObject({ urlCount: 3000 });
  await owners[3]!.publish({ domain: domains[3]!.hostname, urls: entries(1) });
});

test('an upload whose key is revoked in the meantime is refused at its end, and publishes nothing', async () => {
  const customer = await createCustomer(waypost);
  const { hostname } = await customer.verifiedDomain();
  await customer.publish({ domain: hostname, urls: entries(2) });
  const upload = await beginUpload(customer, hostname);
  const other = await cli(waypost.dataDir, 'key', 'create', customer.accountId, 'other');
  const keys = await cli(waypost.dataDir, 'key', 'list', customer.accountId);
  const used = keys.split('\n').find((line) => / test /.test(line))!;
  await cli(waypost.dataDir, 'key', 'revoke', /key_\w+/.exec(used)![0]);

  const { status, error } = await upload.refusal();
  const unknown = await callApi(waypost, 'GET /api/domains', { headers: { 'X-API-Key': 'none' } });
  expect({ status, error }).toEqual({ status: 401, error: unknown.json.error });
  const [domain] = (await customerWith(waypost, customer.accountId, other).call('GET /api/domains')).json
    .data;
  expect(domain).toMatchObject({ urlCount: 2, sitemapCount: 1 });
  expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(2);
});
