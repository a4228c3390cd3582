/** Upload sessions: a list comes in parts, seen through the API and hosting alone. */
import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer, type Domain } from './support/customer.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();

const PAGE = 'https://www.example.com';
const SESSIONS = '/api/upload-sessions';

async function newcomer() {
  const customer = await createCustomer(waypost);
  const domain = await customer.verifiedDomain();
  const open = async (members: object = {}) => {
    const { status, json } = await customer.call(`POST ${SESSIONS}`, {
      body: { domain: domain.hostname, ...members },
    });
    expect(status).toBe(201);
    return json.data as { id: string; uploadId: string; expiresAt: string; createdAt: string };
  };
  const put = (
    id: string,
    part: number | string,
    body: unknown,
    headers: Record<string, string> = {},
    query = '',
  ) =>
    customer.call(`PUT ${SESSIONS}/${id}/parts/${part}${query}`, {
      body: Array.isArray(body) ? JSON.stringify(body) : body,
      headers,
    });
  const commit = (id: string, body: object) => customer.call(`POST ${SESSIONS}/${id}/commit`, { body });
  return { customer, domain, open, put, commit };
}

async function servedLocs({ hostname }: Domain, path: string): Promise<string[]> {
  const { status, body } = await fetchFile(waypost, hostname, path);
  expect(status).toBe(200);
  return [...String(body).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, loc]) => loc!);
}

test('parts in several forms become one sitemap, which is served', async () => {
  const { customer, domain, open, put, commit } = await newcomer();
  const { id, uploadId, createdAt, expiresAt } = await open({ sitemapName: 'products' });
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(24 * 3_600_000);
  const answers = [
    await put(id, 3, { urls: [{ loc: `${PAGE}/json` }] }),
    await put(id, 1, [{ loc: `${PAGE}/array` }]),
    await put(id, 2, `${PAGE}/text\n`, { 'Content-Type': 'text/plain' }),
    await put(
      id,
      4,
      `Address;Status\n${PAGE}/csv;200\n${PAGE}/gone;404\n`,
      { 'Content-Type': 'text/csv' },
      '?columns=loc:Address&where=Status:200',
    ),
    await put(id, 5, gzipSync(`{"loc":"${PAGE}/lines"}\n`), {
      'Content-Type': 'application/x-ndjson',
      'Content-Encoding': 'gzip',
    }),
    await put(id, 6, '', { 'Content-Type': 'application/x-ndjson' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(answers[3]!.json.data).toMatchObject({
    part: 4,
    urlCount: 1,
    dialect: { delimiter: 'semicolon', filtered: 1 },
  });
  const { json } = await customer.call(`GET ${SESSIONS}/${id}`);
  expect(json.data).toMatchObject({
    status: 'open',
    sitemapName: 'products',
    parts: 6,
    urlCount: 5,
    uploadId,
  });
  const listed = await customer.call(`GET ${SESSIONS}/${id}/parts?limit=4`);
  const { cursor } = listed.json.pagination;
  const rest = await customer.call(`GET ${SESSIONS}/${id}/parts?limit=4&cursor=${cursor}`);
  const parts = [...listed.json.data, ...rest.json.data];
  expect(parts.map(({ part }) => part)).toEqual([1, 2, 3, 4, 5, 6]);

  const named = parts.map(({ part, digest }) => ({ part, digest }));
  const published = await commit(id, { parts: named });
  expect(published.status).toBe(200);
  expect(published.json.data).toMatchObject({ generation: 1, urlCount: 5, uploadId, served: true });
  expect((await commit(id, { parts: named })).json).toEqual(published.json);
  const order = ['array', 'text', 'json', 'csv', 'lines'].map((name) => `${PAGE}/${name}`);
  await vi.waitFor(
    async () => expect(await servedLocs(domain, '/sitemap-products.xml')).toEqual(order),
    SOON,
  );
  const ended = await customer.call(`GET ${SESSIONS}/${id}`);
  expect(ended.json.data).toMatchObject({ status: 'committed', generation: 1 });
  expect(ended.json.data).not.toHaveProperty('expiresAt');
  expect((await customer.call(`GET /api/uploads/${uploadId}`)).json.data).toMatchObject({
    outcome: 'published',
  });
});

describe('Content-Digest', () => {
  const body = `${PAGE}/a\n`;
  const text = { 'Content-Type': 'text/plain' };
  const digest = (bytes: string | Buffer) =>
    `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

  test('is compared with the body as it was sent', async () => {
    const { open, put } = await newcomer();
    const { id } = await open();
    const zipped = gzipSync(body);
    const cases = [
      [body, {}, digest(body), 200],
      [zipped, { 'Content-Encoding': 'gzip' }, digest(zipped), 200],
      [zipped, { 'Content-Encoding': 'gzip' }, digest(body), 422],
      [body, {}, digest(`${body} `), 422],
      [body, {}, `sha-512=:AAAA:, ${digest(body)}`, 200],
      [body, {}, 'sha-512=:AAAA:', 200],
      [body, {}, 'sha-256=AAAA', 400],
      [body, {}, 'sha-256=:AAAA:', 400],
    ] as const;
    for (const [sent, encoding, header, status] of cases) {
      const answer = await put(id, 1, sent, { ...text, ...encoding, 'Content-Digest': header });
      expect({ header, status: answer.status }).toEqual({ header, status });
    }
  });

  test('that differs leaves the former part', async () => {
    const { customer, open, put } = await newcomer();
    const { id } = await open();
    const first = await put(id, 1, body, text);
    const { status, json } = await put(id, 1, `${PAGE}/b\n`, { ...text, 'Content-Digest': digest(body) });
    expect({ status, field: json.error.details.field }).toEqual({ status: 422, field: 'Content-Digest' });
    const listed = await customer.call(`GET ${SESSIONS}/${id}/parts`);
    expect(listed.json.data.map(({ digest: of }: { digest: string }) => of)).toEqual([
      first.json.data.digest,
    ]);
  });
});

test('a session is opened once for an Idempotency-Key', async () => {
  const { customer, domain } = await newcomer();
  const request = { body: { domain: domain.hostname }, headers: { 'Idempotency-Key': randomUUID() } };
  const first = await customer.call(`POST ${SESSIONS}`, request);
  const again = await customer.call(`POST ${SESSIONS}`, request);
  expect(again.json).toEqual(first.json);
});

test('a refused part names its fault, and the session lives on', async () => {
  const { customer, open, put, commit } = await newcomer();
  const { id } = await open();
  const kept = await put(id, 1, [{ loc: `${PAGE}/a` }]);
  const refused = await put(id, 1, [{ loc: `${PAGE}/b` }, { loc: 'nowhere' }]);
  expect(refused.status).toBe(422);
  expect(refused.json.error.details).toMatchObject({ field: 'urls[1].loc', value: 'nowhere' });
  for (const part of ['0', '10001', '1.5', '01', 'x']) {
    const { status, json } = await put(id, part, []);
    expect({ part, status, field: json.error.details.field }).toEqual({ part, status: 422, field: 'part' });
  }
  expect(await put(id, 10_000, [])).toMatchObject({ status: 200, json: { data: { part: 10_000 } } });
  expect((await put(id, 2, { domain: 'x', urls: [] })).status).toBe(422);
  expect((await customer.call(`GET ${SESSIONS}/${id}`)).json.data).toMatchObject({
    status: 'open',
    parts: 2,
  });
  const { part, digest } = kept.json.data;
  expect((await commit(id, { parts: [{ part, digest }] })).json.data).toMatchObject({ urlCount: 1 });
});

test('a commit says what is wrong with it', async () => {
  const { open, put, commit } = await newcomer();
  const { id } = await open();
  const { digest } = (await put(id, 1, [{ loc: `${PAGE}/a` }])).json.data;
  const cases = [
    [{}, 422, { field: 'parts' }],
    [{ parts: [] }, 422, { field: 'parts' }],
    [{ parts: [{ part: 0, digest }] }, 422, { field: 'parts[0].part' }],
    [{ parts: [{ part: 1 }] }, 422, { field: 'parts[0].digest' }],
    [
      {
        parts: [
          { part: 1, digest },
          { part: 1, digest },
        ],
      },
      422,
      { field: 'parts' },
    ],
    [{ parts: [{ part: 1, digest }], partCount: 1 }, 422, { field: 'partCount' }],
    [{ partCount: 1 }, 422, { field: 'urlCount' }],
    [{ partCount: 1, urlCount: 2 }, 409, { partCount: 1, urlCount: 1 }],
    [
      {
        parts: [
          { part: 1, digest: 'x' },
          { part: 9, digest },
        ],
      },
      409,
      { missing: [9], different: [1] },
    ],
    [{ parts: [{ part: 1, digest }], ifGeneration: 5 }, 409, { field: 'ifGeneration', generation: 0 }],
  ] as const;
  for (const [body, status, details] of cases) {
    const answer = await commit(id, body);
    expect({ body, status: answer.status }).toEqual({ body, status });
    expect(answer.json.error.details).toMatchObject(details);
  }
  const tried = await commit(id, { partCount: 1, urlCount: 1, dryRun: true });
  expect(tried.json.data).toMatchObject({ dryRun: true, urlCount: 1 });
  expect((await commit(id, { partCount: 1, urlCount: 1 })).json.data).toMatchObject({ generation: 1 });
});

test('a session that was deleted takes nothing any more', async () => {
  const { customer, open, put, commit } = await newcomer();
  const { id } = await open();
  const { digest } = (await put(id, 1, [{ loc: `${PAGE}/a` }])).json.data;
  for (let i = 0; i < 2; i++) {
    const { status, json } = await customer.call(`DELETE ${SESSIONS}/${id}`);
    expect({ status, now: json.data.status }).toEqual({ status: 200, now: 'aborted' });
  }
  for (const { status, json } of [await put(id, 2, []), await commit(id, { parts: [{ part: 1, digest }] })]) {
    expect({ status, details: json.error.details }).toEqual({ status: 409, details: { status: 'aborted' } });
  }
  const other = await createCustomer(waypost);
  expect((await other.call(`GET ${SESSIONS}/${id}`)).status).toBe(404);
});

test('rejected entries of parts are listed', async () => {
  const { customer, open, put, commit } = await newcomer();
  const { id } = await open({ onInvalid: 'skip', maxRejectedPercent: 50 });
  const answer = await put(id, 1, [{ loc: `${PAGE}/a` }, { loc: 'nowhere' }, { loc: `${PAGE}/b` }]);
  const { digest, rejected, rejectsUrl } = answer.json.data;
  expect(rejected).toBe(1);
  const lines = await fetch(waypost.apiUrl + rejectsUrl, { headers: { 'X-API-Key': customer.key } });
  expect(await lines.text()).toContain('"index":1');
  const { json } = await commit(id, { parts: [{ part: 1, digest }] });
  expect(json.data).toMatchObject({ rejected: 1, urlCount: 2 });
  expect(json.data).not.toHaveProperty('rejectsUrl');
});
