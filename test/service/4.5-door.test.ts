/** Uploads of the files that tools write by default. */
import { expect, test } from 'vitest';
import { fetchEntries } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
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
    kinds: [{ field: 'priority', message, count: 150, line: 2, value: 7 }],
  });
});
