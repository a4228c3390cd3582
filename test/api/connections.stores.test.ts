/** Connections by the API: they are tried, and those that schedules read by are kept. */
import { afterAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { runDashboard } from '../dashboard/running-dashboard.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { BUCKET, sendError, startBucketHost } from '../support/bucket-host.ts';
import { createKey } from '../support/create-key.ts';
import { auditEventsOf } from '../support/people.ts';

const { database, ask } = await runDashboard({ OUTBOUND_ALLOWED_RANGES: '127.0.0.3/32' });
const host = await startBucketHost();
afterAll(() => host[Symbol.asyncDispose]());
const accountId = await addAccount(database, 'business');
const domain = await addVerifiedDomain(database, accountId);
const { key } = await createKey(database, newId, accountId, 'deploy');
const call = (route: string, body?: object) =>
  ask(route, { headers: { 'X-API-Key': key }, ...(body && { body }) });

const SECRET = 'a-secret-that-nobody-sees';
const put = (name: string, more: object = {}) =>
  call(`PUT /api/connections/${name}`, {
    ...{ kind: 's3', endpoint: host.endpoint, region: 'auto', buckets: [BUCKET] },
    ...{ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET, ...more },
  });
const schedule = (name: string, load: object) =>
  call(`PUT /api/domains/${domain.id}/sitemaps/${name}/schedule`, { load });
const BY = { sources: [`s3://${BUCKET}/*.csv`], form: 'csv' };

test('a connection that schedules read by is not deleted, and the refusal names them', async () => {
  await put('warehouse');
  await put('other');
  expect((await schedule('products', { ...BY, connection: 'warehouse' })).status).toBe(200);
  expect((await schedule('default', { ...BY, connection: 'warehouse' })).status).toBe(200);
  expect((await schedule('blog', { ...BY, connection: 'other' })).status).toBe(200);

  const refused = await call('DELETE /api/connections/warehouse');
  expect([refused.status, refused.json.error.code]).toEqual([409, 'CONFLICT']);
  expect(refused.json.error.message).toContain(`products of ${domain.hostname}`);
  expect(refused.json.error.message).not.toContain('blog');
  expect(refused.json.error.details.schedules).toEqual([
    { domain: domain.hostname, sitemapName: 'default' },
    { domain: domain.hostname, sitemapName: 'products' },
  ]);
  expect((await call('GET /api/connections')).json.data).toHaveLength(2);

  await call(`DELETE /api/domains/${domain.id}/sitemaps/products/schedule`);
  await schedule('default', { sources: ['https://www.example.com/sitemap.xml'] });
  expect((await call('DELETE /api/connections/warehouse')).status).toBe(200);
  const missing = await call('DELETE /api/connections/warehouse');
  expect([missing.status, missing.json.error.code]).toEqual([404, 'NOT_FOUND']);
  const actions = (await auditEventsOf(database, accountId)).map(({ action }) => action);
  expect(actions.filter((action) => action === 'connection.deleted')).toHaveLength(1);
});

test('a schedule that is set while its connection is deleted has it, or is refused', async () => {
  await put('racing');
  const [set, deleted] = await Promise.all([
    schedule('racing', { ...BY, connection: 'racing' }),
    call('DELETE /api/connections/racing'),
  ]);
  expect([
    [200, 409],
    [422, 200],
  ]).toContainEqual([set.status, deleted.status]);
});

test('a trial says of each bucket whether it can be listed, and no answer has a key', async () => {
  host.objects.set('a.csv', 'loc\n');
  await put('tried', { buckets: [BUCKET, 'elsewhere'] });
  const tried = await call('POST /api/connections/tried/test');
  expect([tried.status, tried.json.data]).toEqual([
    200,
    {
      buckets: [
        { bucket: BUCKET, problem: null },
        { bucket: 'elsewhere', problem: 'answers 404' },
      ],
    },
  ]);
  host.behave = (_request, response) => {
    sendError(response, 403, 'SignatureDoesNotMatch');
    return true;
  };
  const refused = await call('POST /api/connections/tried/test');
  expect(refused.json.data.buckets[0].problem).toBe(
    'answers 403 SignatureDoesNotMatch: the secret key of the connection is wrong; set the connection again',
  );
  expect(refused.text + tried.text).not.toContain(SECRET);
  // An address that is not public.
  await put('inside', { endpoint: 'https://169.254.169.254' });
  const { buckets } = (await call('POST /api/connections/inside/test')).json.data;
  expect(buckets[0].problem).toContain('cannot be read');
  expect((await call('POST /api/connections/none/test')).status).toBe(404);
});
