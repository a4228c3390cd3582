/** The list of a domain's upload sessions: the newest first, in pages, by sitemap and by status, and without those of loads. */
import { expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { runDashboard } from '../dashboard/running-dashboard.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createKey } from '../support/create-key.ts';

const { database, ask } = await runDashboard();
const accountId = await addAccount(database, 'business');
const domain = await addVerifiedDomain(database, accountId);
const other = await addVerifiedDomain(database, accountId);
const { key } = await createKey(database, newId, accountId, 'deploy');
const call = (route: string, body?: object, sent = key) =>
  ask(route, { headers: { 'X-API-Key': sent }, ...(body && { body }) });

async function open(hostname: string, sitemapName?: string): Promise<string> {
  const { json } = await call('POST /api/upload-sessions', { domain: hostname, sitemapName });
  return json.data.id;
}
const list = async (query = '', sent = key) =>
  (await call(`GET /api/domains/${domain.id}/upload-sessions${query}`, undefined, sent)).json;
const idsOf = async (query = '', sent = key) => (await list(query, sent)).data.map(({ id }: never) => id);

test('sessions are listed with what became of them', async () => {
  const committed = await open(domain.hostname, 'products');
  const part = await call(`PUT /api/upload-sessions/${committed}/parts/1`, {
    urls: [{ loc: 'https://www.example.com/1' }],
  });
  const { part: number, digest } = part.json.data;
  await call(`POST /api/upload-sessions/${committed}/commit`, { parts: [{ part: number, digest }] });
  const aborted = await open(domain.hostname, 'products');
  await call(`DELETE /api/upload-sessions/${aborted}`);
  const expired = await open(domain.hostname);
  await database.query(
    `UPDATE garbage SET collect_after = now() - interval '1 minute'
      WHERE prefix = (SELECT 'uploads/' || upload_id || '/' FROM upload_sessions WHERE id = $1)`,
    [expired],
  );
  const opened = await open(domain.hostname);
  await open(other.hostname, 'products');
  // Nothing listens there, so the load stays under way, or is refused; it is in the list of uploads.
  await call('POST /api/sitemap/load', { domain: domain.hostname, sources: ['https://127.0.0.1:9/'] });

  const { data, pagination } = await list();
  expect(data.map(({ id, status }: never) => [id, status])).toEqual([
    [opened, 'open'],
    [expired, 'expired'],
    [aborted, 'aborted'],
    [committed, 'committed'],
  ]);
  expect(pagination).toEqual({ hasMore: false });
  expect(data.at(-1)).toMatchObject({ sitemapName: 'products', parts: 1, urlCount: 1, generation: 1 });
  expect(await idsOf('?sitemap=products')).toEqual([aborted, committed]);
  expect(await idsOf('?sitemap=default&status=open')).toEqual([opened]);
  expect(await idsOf('?status=committed')).toEqual([committed]);

  const first = await list('?limit=3');
  expect(first.data).toHaveLength(3);
  expect(await idsOf(`?limit=3&cursor=${first.pagination.cursor}`)).toEqual([committed]);
  // A cursor belongs to its filter.
  expect((await list(`?sitemap=products&cursor=${first.pagination.cursor}`)).error.code).toBe('BAD_REQUEST');
  expect((await list('?status=lost')).error.details.field).toBe('status');
});

test('a session of a load that is older than the column is left out, too', async () => {
  await call('POST /api/sitemap/load', { domain: other.hostname, sources: ['https://127.0.0.1:9/'] });
  await database.query('UPDATE upload_sessions SET of_load = false WHERE domain_id = $1', [other.id]);
  const { json } = await call(`GET /api/domains/${other.id}/upload-sessions`);
  expect(json.data).toHaveLength(1);
});
