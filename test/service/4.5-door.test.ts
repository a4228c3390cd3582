/** Uploads of the files that tools write by default. */
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchEntries } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { head, openConnection } from './support/raw-connection.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const { hostname } = await customer.verifiedDomain();

function post(type: string, body: string | Buffer, query: Readonly<Record<string, string>> = {}) {
  const parameters = new URLSearchParams({ domain: hostname, ...query });
  return customer.call(`POST /api/sitemap/generate?${parameters}`, {
    body: Buffer.from(body as string),
    headers: { 'Content-Type': type },
  });
}

test('4.5 a JSON array of entries is published, with the members in the query', async () => {
  const urls = Array.from({ length: 1_100 }, (_, i) => ({ loc: `https://example.com/${i}`, priority: 0.5 }));
  const { status, json } = await post('application/json', JSON.stringify(urls, null, 2), {
    sitemapName: 'array',
  });
  expect(status).toBe(200);
  expect(json.data).toMatchObject({ sitemapName: 'array', urlCount: 1_100 });
  expect(await fetchEntries(waypost, hostname, '/sitemap-array.xml')).toEqual(urls);
});

test('4.5 a JSON array without entries, or with an invalid one, is refused like the same document', async () => {
  expect((await post('application/json', ' [ ] ')).json.error.details).toMatchObject({
    field: 'urls',
    value: [],
  });
  const { status, json } = await post('application/json', '[{"loc":"x"}]');
  expect(status).toBe(422);
  expect(json.error.details).toMatchObject({ field: 'urls[0].loc', value: 'x', errorCount: 1 });
});

test('4.5 a JSON array without domain in the query gets 400 with the cure', async () => {
  const { status, json } = await customer.upload('[{"loc":"https://example.com/"}]', {
    headers: { 'Content-Type': 'application/json' },
  });
  expect(status).toBe(400);
  expect(json.error.message).toContain('an array of entries needs domain in the query');
});

test.each([{}, { onInvalid: 'skip', maxRejectedPercent: '100' }, { dryRun: 'true' }])(
  '4.5 a table never becomes URLs: %o',
  async (query) => {
    const rows = ['url|updated_at', 'https://shop.example.com/p/1|2026-01-15 10:00:00.123+00', '(1 row)'];
    const { status, json } = await post('text/plain', rows.join('\n'), query as Record<string, string>);
    expect(status).toBe(422);
    expect(json.error.message).toContain('looks like a row of a table');
  },
);

test('4.5 violations are counted by kind', async () => {
  const rows = Array.from({ length: 150 }, (_, i) => `https://example.com/${i},${i < 3 ? 7 : 'x'}`);
  const { json } = await post('text/csv', ['loc,priority', ...rows].join('\n'), { dryRun: 'true' });
  const message = 'must be a number from 0 to 1';
  expect(json.error.details).toMatchObject({
    errorCount: 150,
    kinds: [{ field: 'priority', message, count: 150, line: 2, index: 0, value: 7, cures: [] }],
    urlCount: 150,
  });
});

test('4.5 a cure of a kind publishes the same body, and the attempt keeps the kinds', async () => {
  const rows = ['URL,Changed', 'https://example.com/a,3/4/2026 9:05', 'https://example.com/b,1/15/2026'];
  const query = { columns: 'loc:URL,lastmod:Changed', sitemapName: 'cured' };
  const refused = await post('text/csv', rows.join('\n'), { ...query, dryRun: 'true' });
  const { kinds, uploadId } = refused.json.error.details;
  expect(kinds).toEqual([
    {
      field: 'Changed',
      message: expect.stringContaining('add dates=dmy'),
      ...{ count: 2, line: 2, index: 0, value: '3/4/2026 9:05' },
      cures: [{ dates: 'mdy', timezone: 'UTC' }],
    },
  ]);
  expect((await customer.call(`GET /api/uploads/${uploadId}`)).json.data.kinds).toEqual(kinds);
  const cured = await post('text/csv', rows.join('\n'), { ...query, ...kinds[0].cures[0] });
  expect(cured.json).toMatchObject({ success: true });
  expect(await fetchEntries(waypost, hostname, '/sitemap-cured.xml')).toEqual([
    { loc: 'https://example.com/a', lastmod: '2026-03-04T09:05:00Z' },
    { loc: 'https://example.com/b', lastmod: '2026-01-15' },
  ]);
});

const DATES = {
  'application/x-ndjson': (date: string) => JSON.stringify({ loc: 'https://example.com/', lastmod: date }),
  'text/csv': (date: string) => `loc,lastmod\nhttps://example.com/,${date}`,
  'application/xml': (date: string) =>
    `<urlset><url><loc>https://example.com/</loc><lastmod>${date}</lastmod></url></urlset>`,
  'application/json': (date: string) => JSON.stringify([{ loc: 'https://example.com/', lastmod: date }]),
};

test.each(Object.entries(DATES))('4.5 dates of databases are taken in %s', async (type, bodyOf) => {
  const cases: [string, Record<string, string>, string][] = [
    ['2026-01-15 10:00:00.123+00', {}, '2026-01-15T10:00:00.123+00:00'],
    ['2026-01-15 10:00:00', { timezone: 'Europe/Berlin' }, '2026-01-15T10:00:00+01:00'],
    ['2026-01-15 10:00:00', { timezone: '+02:00' }, '2026-01-15T10:00:00+02:00'],
    ['15.01.2026', { dates: 'dmy' }, '2026-01-15'],
  ];
  for (const [date, query, lastmod] of cases) {
    const { json } = await post(type, bodyOf(date), { sitemapName: 'dates', ...query });
    expect(json).toMatchObject({ success: true });
    expect(await fetchEntries(waypost, hostname, '/sitemap-dates.xml')).toEqual([
      { loc: 'https://example.com/', lastmod },
    ]);
  }
  const { status, json } = await post(type, bodyOf('2026-01-15 10:00:00'));
  expect(status).toBe(422);
  expect(json.error.message).toContain('lastmod: has no time zone: add timezone=');
});

test('4.5 a JSON document has other dates only if its query says so', async () => {
  const body = { domain: hostname, urls: [{ loc: 'https://example.com/', lastmod: '2026-01-15 10:00:00' }] };
  const send = (query: string) => customer.call(`POST /api/sitemap/generate${query}`, { body });
  expect((await send('')).json.error).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('urls[0].lastmod: must be a date like 2026-01-15'),
  });
  expect((await send('?timezone=UTC')).status).toBe(200);
  expect((await send('?dates=iso')).json.error.message).toContain('add timezone=');
});

test.each([
  [
    'text/csv',
    { timezone: 'Berlin' },
    'timezone',
    'must be UTC, an offset like +02:00, or a zone like Europe/Berlin',
  ],
  ['text/csv', { dates: 'american' }, 'dates', 'must be one of iso, dmy'],
  ['text/plain', { timezone: 'UTC' }, 'timezone', 'has no meaning in the form text'],
])('4.5 a wrong parameter is refused before the body: %s %o', async (type, query, field, message) => {
  const { status, json } = await post(
    type,
    'loc\nhttps://example.com/',
    query as unknown as Record<string, string>,
  );
  expect(status).toBe(422);
  expect(json.error).toMatchObject({ details: { field }, message: expect.stringContaining(message) });
});

test('4.5 the export of a crawler goes in as it is', async () => {
  const rows = ['"Address","Content Type","Status Code","Indexability","Last Modified"'];
  for (let i = 0; i < 2_500; i++) {
    rows.push(
      `"https://example.com/${i}","text/html","${i % 5 === 0 ? 404 : 200}","x","Thu, 15 Jan 2026 10:00:00 GMT"`,
    );
  }
  const query = {
    sitemapName: 'crawl',
    columns: 'loc:Address,lastmod:Last Modified',
    where: 'Status Code:200',
  };
  const { json } = await post('text/csv', `\ufeff${rows.join('\r\n')}`, {
    ...query,
    expectedUrlCount: '2000',
  });
  expect(json.data).toMatchObject({ urlCount: 2_000 });
  const published = await fetchEntries(waypost, hostname, '/sitemap-crawl.xml');
  expect(published).toHaveLength(2_000);
  expect(published[0]).toEqual({ loc: 'https://example.com/1', lastmod: '2026-01-15T10:00:00Z' });
  const other = await post('text/csv', rows.join('\n'), { ...query, expectedUrlCount: '2500' });
  expect(other.json.error.message).toContain('is 2,500, but the upload has 2,000 URLs');
  const none = await post('text/csv', rows.join('\n'), { ...query, where: 'Status Code:500' });
  expect(none.json.error).toMatchObject({ details: { field: 'where' }, message: 'where: leaves no entry' });
});

test('4.5 columns and where need an array in JSON, not a document', async () => {
  const rows = [{ url: 'https://example.com/a' }, { url: 'https://example.com/b', off: true }];
  const taken = await post('application/json', JSON.stringify(rows), { columns: 'loc:url', where: 'off:' });
  expect(taken.json.data).toMatchObject({ urlCount: 1 });
  const body = { urls: [{ loc: 'https://example.com/' }] };
  const refused = await customer.call(`POST /api/sitemap/generate?domain=${hostname}&columns=loc:url`, {
    body,
  });
  expect(refused.json.error).toMatchObject({ details: { field: 'columns' } });
});

test('4.5 relative URLs get their base in every form', async () => {
  const bodies = {
    'text/plain': '/a\n/b?x=1&y=2',
    'text/csv': 'loc\n/a\n/b?x=1&y=2',
    'application/x-ndjson': '{"loc":"/a"}\n{"loc":"/b?x=1&y=2"}',
    'application/xml': '<urlset><url><loc>/a</loc></url><url><loc>/b?x=1&amp;y=2</loc></url></urlset>',
    'application/json': '{"urls":[{"loc":"/a"},{"loc":"/b?x=1&y=2"}]}',
  };
  for (const [type, body] of Object.entries(bodies)) {
    const { json } = await post(type, body, { sitemapName: 'based', baseUrl: 'https://example.com/de/' });
    expect(json).toMatchObject({ success: true });
    expect(await fetchEntries(waypost, hostname, '/sitemap-based.xml')).toEqual([
      { loc: 'https://example.com/a' },
      { loc: 'https://example.com/b?x=1&y=2' },
    ]);
  }
});

test('4.5 an upload tells what its body was read as, in its answer, in a dry run and in its attempt', async () => {
  const csv = 'URL;SKU;Changed\nhttps://example.com/a;1;2026-01-15 10:00:00\nhttps://example.com/b;2;\n';
  const query = { sitemapName: 'told', columns: 'loc:URL,lastmod:Changed', timezone: 'UTC', where: 'SKU:1' };
  const dialect = {
    delimiter: 'semicolon',
    columns: [
      { member: 'loc', name: 'URL' },
      { member: 'lastmod', name: 'Changed' },
    ],
    ignored: ['SKU'],
    ignoredCount: 1,
    filtered: 1,
    timezone: 'UTC',
    zoned: 1,
  };
  const warnings = [
    '1 column is ignored: SKU.',
    '1 record is left out by where.',
    '1 time had no zone and got UTC.',
  ];
  const dry = await post('text/csv', csv, { ...query, dryRun: 'true' });
  expect(dry.json.data).toMatchObject({ dryRun: true, urlCount: 1, dialect, warnings });
  const { json } = await post('text/csv', csv, query);
  expect(json.data).toMatchObject({ urlCount: 1, dialect, warnings });
  const attempt = await customer.call(`GET /api/uploads/${json.data.uploadId}`);
  expect(attempt.json.data).toMatchObject({ outcome: 'published', dialect });
  const plain = await customer.publish({
    domain: hostname,
    sitemapName: 'plain',
    urls: [{ loc: 'https://example.com/' }],
  });
  expect(plain).not.toHaveProperty('dialect');
  expect((await customer.call(`GET /api/uploads/${plain.uploadId}`)).json.data.dialect).toBeNull();
});

test('4.5 names that Postgres cannot store are told all the same', async () => {
  const { json } = await post('text/csv', 'loc,a\u0000b\nhttps://example.com/,x\n', {
    columns: 'loc',
    sitemapName: 'odd',
  });
  expect(json.data.dialect.ignored).toEqual(['a\ufffdb']);
  const attempt = await customer.call(`GET /api/uploads/${json.data.uploadId}`);
  expect(attempt.json.data.dialect.ignored).toEqual(['a\ufffdb']);
});

test('4.5 names of members that Postgres cannot store are told too', async () => {
  const body = JSON.stringify({ 'a\0b': 'https://example.com/' });
  const { json } = await post('application/x-ndjson', body, { columns: 'loc:a\0b', sitemapName: 'odd' });
  expect(json.data.dialect.columns).toEqual([{ member: 'loc', name: 'a\ufffdb' }]);
});

test('4.5 a refused upload keeps what its body was read as', async () => {
  await post('text/csv', 'URL|x\nnone|1\n', { columns: 'loc:URL', sitemapName: 'refused' });
  const { id } = (await customer.call('GET /api/domains')).json.data.find(
    (each: { hostname: string }) => each.hostname === hostname,
  );
  const { json } = await customer.call(`GET /api/domains/${id}/uploads`);
  expect(json.data[0]).toMatchObject({ outcome: 'refused', dialect: { delimiter: 'pipe', ignored: ['x'] } });
});

const previewOf = (type: string, body: string | Buffer, query = {}) =>
  customer.call(`POST /api/uploads/preview?${new URLSearchParams(query)}`, {
    body: Buffer.from(body as string),
    headers: { 'Content-Type': type },
  });

test('4.5 a preview shows entries and suggestions, and leaves no upload behind', async () => {
  const { id } = (await customer.call('GET /api/domains')).json.data.find(
    (each: { hostname: string }) => each.hostname === hostname,
  );
  const before = (await customer.call(`GET /api/domains/${id}/uploads`)).json.data;
  const csv = 'url,updated_at\nhttps://example.com/a,2026-01-15 10:00:00\n';
  const asked = await previewOf('text/csv', csv);
  expect(asked.status).toBe(200);
  expect(asked.json.data).toMatchObject({
    form: 'csv',
    rows: [],
    refusal: { code: 'VALIDATION_ERROR', field: 'url' },
    suggestions: { columns: 'loc:url,lastmod:updated_at', timezone: 'UTC' },
  });
  const helped = await previewOf('text/csv', csv, asked.json.data.suggestions);
  expect(helped.json.data).toMatchObject({
    rows: [
      { line: 2, entry: { loc: 'https://example.com/a', lastmod: '2026-01-15T10:00:00Z' }, violations: [] },
    ],
    suggestions: {},
  });
  expect((await customer.call(`GET /api/domains/${id}/uploads`)).json.data).toEqual(before);
});

test('4.5 a preview takes 64 KiB and no more, and only known types and parameters', async () => {
  expect(
    (await previewOf('text/plain', 'https://example.com/\n'.repeat(3_000).slice(0, 65_536))).status,
  ).toBe(200);
  expect((await previewOf('text/plain', Buffer.alloc(65_537, 'x'))).status).toBe(413);
  expect((await previewOf('text/html', 'x')).status).toBe(400);
  expect((await previewOf('text/csv', 'loc\n', { domain: hostname })).status).toBe(422);
});

test('4.5 previews that are not sent to their end take memory: further ones of the account get 429, unread', async () => {
  const customer = await createCustomer(waypost);
  const headers = {
    Host: 'api',
    'X-API-Key': customer.key,
    'Content-Type': 'application/vnd.apache.parquet',
    'Content-Length': 4 * 1024 * 1024,
    Expect: '100-continue',
  };
  const begin = async () => {
    const connection = await openConnection(waypost.apiUrl);
    connection.write(head('POST /api/uploads/preview', headers));
    await connection.receives(/^HTTP\/1\.1 \d{3} /);
    return connection;
  };
  const connections = [await begin(), await begin(), await begin(), await begin()];
  const statuses = connections.map((each) => each.received().slice(0, 12));
  expect(statuses).toEqual(['HTTP/1.1 100', 'HTTP/1.1 100', 'HTTP/1.1 100', 'HTTP/1.1 429']);
  for (const { socket } of connections) socket.destroy();
  const small = { body: Buffer.from('https://example.com/'), headers: { 'Content-Type': 'text/plain' } };
  expect((await customer.call('POST /api/uploads/preview', small)).status).toBe(200);
  await vi.waitFor(async () => {
    const connection = await begin();
    connection.socket.destroy();
    expect(connection.received()).toMatch(/^HTTP\/1\.1 100 /);
  }, SOON);
});
