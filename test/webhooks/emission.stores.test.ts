/** The events of uploads and domains, and their receivers. Events of certificates are in test/certificates/events.peers.test.ts. */
import { beforeEach, expect, test, vi } from 'vitest';
import { firstNeeds } from '../../src/features/needs/incidents/tell-incidents.ts';
import { emitEvent } from '../../src/features/webhooks/emit-event.ts';
import { createEmitRefusedUploads, shortDetails } from '../../src/features/webhooks/emit-refused-uploads.ts';
import { insertEndpoint } from '../../src/features/webhooks/endpoint-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { createLifeFixture } from '../domains/life-fixture.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { SOON } from '../support/soon.ts';
import { bulkyEntries } from '../uploads/batches.ts';

const life = await createLifeFixture();
const { database } = life;
const account = await addAccount(database);
await insertEndpoint(database, {
  ...{ id: newId('webhook'), accountId: account, url: 'https://www.example.com/' },
  ...{ description: '', eventTypes: null },
});

beforeEach(async () => {
  await database.query('DELETE FROM webhook_events');
});

const events = async () =>
  (
    await database.query(
      'SELECT account_id AS "accountId", type, data FROM webhook_events ORDER BY created_at',
    )
  ).rows;

test('an upload that is published', async () => {
  const domain = await addVerifiedDomain(database, account);
  const urls = [{ loc: 'https://www.example.com/' }, { loc: 'https://www.example.com/b' }];
  const { uploadId } = await life.upload(account, { domain: domain.hostname, urls });
  await life.upload(account, { domain: domain.hostname, sitemapName: 'news', urls });
  const common = {
    domainId: domain.id,
    domain: domain.hostname,
    ...{ generation: 1, kind: 'upload' },
    urlCount: 2,
    fileCount: 1,
    filesChanged: 1,
    publishedAt: '2026-01-15T10:00:00Z',
  };
  expect(await events()).toEqual([
    {
      accountId: account,
      type: 'upload.published',
      data: {
        ...common,
        uploadId,
        sitemapName: 'default',
        sitemapUrl: `https://${domain.hostname}/sitemap.xml`,
      },
    },
    {
      accountId: account,
      type: 'upload.published',
      data: {
        ...common,
        uploadId: expect.any(String),
        sitemapName: 'news',
        sitemapUrl: `https://${domain.hostname}/sitemap-news.xml`,
      },
    },
  ]);
});

test('of an account without webhooks, nothing', async () => {
  const other = await addAccount(database);
  const domain = await addVerifiedDomain(database, other);
  await life.upload(other, { domain: domain.hostname, urls: [{ loc: 'https://www.example.com/' }] });
  expect(await events()).toEqual([]);
});

test('an upload that is not published, nothing of that kind', async () => {
  const domain = await addVerifiedDomain(database, account);
  const entries = bulkyEntries(1000);
  const suspend = (is: boolean) =>
    database.query('UPDATE accounts SET suspended_at = CASE WHEN $2 THEN now() END WHERE id = $1', [
      account,
      is,
    ]);
  await suspend(true);
  // Uploads in a group, and alone.
  for (const urls of [entries.slice(0, 1), entries]) {
    await expect(life.upload(account, { domain: domain.hostname, urls })).rejects.toThrow('suspended');
  }
  await suspend(false);
  expect(await events()).toEqual([]);
});

test('a domain that is verified, and one that fails because it moved away', async () => {
  const domain = await addDomain(database, account);
  life.point(domain, domain.cnameTarget);
  await life.verify(domain);
  await life.verify(await life.find(domain));
  const data = { domainId: domain.id, domain: domain.hostname };
  expect(await events()).toEqual([{ accountId: account, type: 'domain.verified', data }]);
  life.point(domain, 'elsewhere.example.net');
  for (const minutes of [1440 * 2, 20, 20]) {
    await life.pass(domain, minutes);
    await life.sweep();
  }
  await life.pass(domain, 7 * 1440 + 60);
  await database.query('UPDATE domains SET wrong_checks = 20 WHERE id = $1', [domain.id]);
  await life.sweep();
  const { status, failure } = await life.find(domain);
  expect(status).toBe('failed');
  expect((await events()).slice(1)).toEqual([
    { accountId: account, type: 'domain.failed', data: { ...data, message: failure } },
  ]);
});

const refused = { domainId: 'domain_1', domain: 'maps.example.com', sitemapName: null, uploadId: 'upload_1' };

test('refusals of uploads, a few a minute for each account', async () => {
  const underWay = new Set<Promise<unknown>>();
  const emit = createEmitRefusedUploads({ database, underWay, log: collectLog() });
  const refusal = new Refusal('VALIDATION_ERROR', 'urls[0].loc: no', {
    details: { field: 'urls[0].loc', value: 'x\0' },
  });
  for (let i = 0; i < 50; i++) emit(account, refused, refusal);
  emit(account, refused, new Refusal('BAD_REQUEST', 'no JSON'));
  await vi.waitFor(() => expect(underWay.size).toBe(0), SOON);
  const written = await events();
  expect(written).toHaveLength(5);
  expect(written[0]).toEqual({
    accountId: account,
    type: 'upload.refused',
    data: {
      ...refused,
      code: 'VALIDATION_ERROR',
      message: 'urls[0].loc: no',
      details: { field: 'urls[0].loc', value: 'x\0' },
    },
  });
});

test('a database that fails is logged, and nobody waits for it', async () => {
  const log = collectLog();
  const underWay = new Set<Promise<unknown>>();
  const failing = { query: () => Promise.reject(new Error('gone')) } as unknown as typeof database;
  createEmitRefusedUploads({ database: failing, underWay, log })(
    account,
    refused,
    new Refusal('BAD_REQUEST', 'no'),
  );
  await vi.waitFor(() => expect(underWay.size).toBe(0), SOON);
  expect(log.lines).toMatchObject([{ level: 'warn', message: 'an event could not be written' }]);
});

test('an event with a message of any length has less than 20 kB', async () => {
  const message = `header: must be true, because the first record has names: ${'\u20ac'.repeat(30_000)}`;
  const event = {
    ...refused,
    code: 'VALIDATION_ERROR',
    message,
    details: { field: 'header', value: 'false' },
  };
  await emitEvent(database, account, 'upload.refused', event);
  const { data } = (await events()).at(-1)!;
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(19_600);
  expect(data).toEqual({ ...event, message: `${message.slice(0, 256)}…` });
});

test('needs with long texts make less than 20 kB', () => {
  const detail = '😀'.repeat(300);
  const needs = Array.from({ length: 30 }, (_, i) => ({ title: `need ${i}`, detail }));
  expect(firstNeeds(needs)).toEqual(needs.slice(0, 14));
  expect(firstNeeds([{ detail: detail.repeat(20) }, ...needs])).toHaveLength(1);
  expect(firstNeeds(needs.map(({ title }) => ({ title })))).toHaveLength(20);
});

test('the worst refusal makes less than 20 kB', () => {
  const worst = '😀'.repeat(256);
  const violation = { field: `urls[99999999].images[999].${worst}`, value: worst, message: worst.repeat(2) };
  const details = {
    field: violation.field,
    value: worst,
    errors: Array(100).fill(violation),
    errorCount: 5000,
  };
  const short = shortDetails(details);
  const event = { ...refused, code: 'VALIDATION_ERROR', message: violation.message, details: short };
  const body = JSON.stringify({ type: 'upload.refused', timestamp: '2026-01-15T10:00:00Z', data: event });
  expect(Buffer.byteLength(body)).toBeLessThan(20_000);
  expect(short).toMatchObject({ errorCount: 5000 });
  expect((short.errors as unknown[]).length).toBeGreaterThan(1);
  expect(shortDetails({ limit: 3 })).toEqual({ limit: 3 });
});
