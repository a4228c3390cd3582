/** The entries of the audit log by the routes of the API, for keys and for people. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createCursors } from '../../src/core/web/cursors.ts';
import { sendAnswer } from '../../src/core/web/envelope.ts';
import type { Authenticated } from '../../src/edges/api/authenticate.ts';
import { operationRoutes } from '../../src/edges/api/operation-routes.ts';
import { CUSTOMER_OPERATIONS, type CustomerNeeds } from '../../src/edges/api/operations.ts';
import { createSendLines } from '../../src/edges/api/send-lines.ts';
import { openAccounts } from '../../src/features/accounts/open-accounts.ts';
import { readPlans } from '../../src/features/accounts/plans.ts';
import { createUploadSlots } from '../../src/features/accounts/upload-slots.ts';
import { findCertificateSummary } from '../../src/features/certificates/certificate-store.ts';
import { openChanges } from '../../src/features/changes/open-changes.ts';
import { openConnections } from '../../src/features/connections/open-connections.ts';
import { openCrawls } from '../../src/features/crawls/open-crawls.ts';
import { openDomains } from '../../src/features/domains/open-domains.ts';
import { openFind } from '../../src/features/find/open-find.ts';
import { openNeeds } from '../../src/features/needs/open-needs.ts';
import { openPageHosts } from '../../src/features/page-hosts/open-page-hosts.ts';
import { takeWarnings } from '../../src/features/page-hosts/take-warnings.ts';
import { openRecent } from '../../src/features/recent/open-recent.ts';
import { openSites } from '../../src/features/sites/open-sites.ts';
import { openSubmission } from '../../src/features/submission/open-submission.ts';
import { openUploads } from '../../src/features/uploads/open-uploads.ts';
import { openUsage } from '../../src/features/usage/open-usage.ts';
import { openWebhooks } from '../../src/features/webhooks/open-webhooks.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { newId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secret.ts';
import { createLifeFixture } from '../domains/life-fixture.ts';
import { addAccount, addVerifiedDomain, CNAME_TARGETS } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { createKey } from '../support/create-key.ts';
import { addSignedIn, auditEventsOf } from '../support/people.ts';
import { serveRoutes } from '../support/serve-routes.ts';
import { plainEntries } from '../uploads/batches.ts';
import { DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createLifeFixture();
const { database } = fixture;
const accountId = await addAccount(database);
const person = await addSignedIn(database, accountId, 'member', 'Ada');
const { id: keyId } = await createKey(database, newId, accountId, 'deploy');
const key = { accountId, keyId, session: null, address: '2001:db8::/64' } as const;

/** The last step in the transaction of a request with an Idempotency-Key: it records the answer. */
let record: () => Promise<void>;
beforeEach(async () => {
  record = async () => {};
  await database.query('DELETE FROM audit_events');
});

const authenticated: Authenticated = (handle) => async (request, response) => {
  const actor = request.get('by') === 'person' ? person : key;
  const caller = { ...actor, plan: 'business', isSuspended: false, scope: null } as const;
  response.locals.caller = caller;
  sendAnswer(response, (await handle(caller, request, response, () => record()))!);
};
const log = collectLog();
const publicOrigin = 'https://{hostname}';
const scope = new AsyncDisposableStack();
afterAll(() => scope.disposeAsync());
const { storage } = fixture;
const shared = { database, storage, log, publicOrigin, keepReplacedMs: DAY_MS };
const sites = openSites({ ...shared, places: 2 });
const underWay = new Set<Promise<unknown>>();
const reports = {
  ...{ answered: () => {}, refused: () => {}, received: () => {} },
  ...{ uploadBegins: () => {}, uploadEnds: () => {} },
  ...{ loadBegins: () => () => {}, loadEnded: () => {} },
};
const ask = () => Promise.reject(new Error('nobody asks'));
const uploads = openUploads({
  ...{ ...shared, scope, sites, underWay, takeWarnings },
  openDeltaRecord: fixture.options.openDeltaRecord,
  deltaBytesPerMinute: 1e9,
  ...{ threads: 1, transcodes: true, hashSeed: 1n, perAccount: 4, apart: 2 },
  loading: {
    reader: { read: () => ask(), random: Math.random, maxBytes: 1000, idleMs: 1000, maxWaitMs: 1000 },
    ...{ plans: readPlans(), emitRefused: () => {}, reachStore: () => ask(), reports },
  },
});
const domains = openDomains({
  ...{ ...fixture.life, database, newId, cnameTargets: CNAME_TARGETS },
  hostnameRules: { reserved: [], trialNames: [] },
});
const needs: CustomerNeeds = {
  ...{ log, publicOrigin, uploads, domains, newId, ownDomain: domains.getOwn },
  cursors: createCursors(new Secret('for tests')),
  plans: readPlans(),
  needs: openNeeds({ database, plans: readPlans() }),
  maxBodyBytes: 100_000,
  sendLines: createSendLines(),
  submitsUrls: true,
  ping: { ask, pingUrl: undefined },
  now: () => new Date(),
  submission: openSubmission({
    ...{ database, isConfigured: true, openChange: sites.openChange, ask },
    checkTurns: new Turns(1),
  }),
  findCertificate: (id) => findCertificateSummary(database, id),
  accounts: openAccounts({ database, newId }),
  reports,
  connections: openConnections({ database, keys: undefined }),
  uploadSlots: createUploadSlots(database, { perAccount: 9, perProcess: 9, log }),
  uploadLimits: { maxBytes: 10_000_000, timeoutMs: 60_000 },
  emitRefused: () => {},
  webhooks: openWebhooks({ database, underWay, log }),
  webhookSecret: new Secret('for webhooks'),
  isAllowedAddress: () => true,
  changes: openChanges({ database, storage, scope }),
  find: openFind({ database, storage }),
  crawls: openCrawls(database),
  usage: openUsage(database),
  recent: openRecent({ database, openChange: sites.openChange }),
  pageHosts: openPageHosts(database),
};
const { call } = await serveRoutes([operationRoutes(CUSTOMER_OPERATIONS, needs, authenticated)]);
const asPerson = { by: 'person' };
const BY_KEY = { userId: null, keyId, actorName: 'deploy', address: '2001:db8::/64' };
const BY_PERSON = { userId: person.session.userId, keyId: null, actorName: 'Ada', address: '192.0.2.7' };
const events = () => auditEventsOf(database, accountId);

/** Calls a route that must succeed, and returns its data. */
async function done(...args: Parameters<typeof call>) {
  const { status, json } = await call(...args);
  expect({ status, error: json.error }).toEqual({
    status: expect.toSatisfy((s) => s < 300),
    error: undefined,
  });
  return json.data;
}

describe('domains', () => {
  test('that are added, changed and deleted, each once', async () => {
    const { id, hostname } = await done('POST /api/domains', { hostname: 'shop.example.com' });
    await done(`PATCH /api/domains/${id}`, { guard: { maxRemovedPercent: 30 } }, asPerson);
    await done(`PATCH /api/domains/${id}`, { guard: { maxRemovedPercent: 30 } }, asPerson);
    await done(`PATCH /api/domains/${id}`, { indexNow: { enabled: true }, guard: null });
    await done(`PATCH /api/domains/${id}`, { indexNow: { enabled: true } });
    await done(`PATCH /api/domains/${id}`, {});
    for (const hours of [24, 24]) {
      await done(`PATCH /api/domains/${id}`, { recent: { enabled: true, hours } }, asPerson);
    }
    await done(`DELETE /api/domains/${id}`, undefined, asPerson);
    expect((await call(`DELETE /api/domains/${id}`)).status).toBe(404);
    const of = { subject: hostname };
    expect(await events()).toEqual([
      { action: 'domain.added', ...of, details: { domainId: id }, ...BY_KEY },
      {
        ...{ action: 'domain.changed', ...of, ...BY_PERSON },
        details: { domainId: id, guard: { maxRemovedPercent: 30 } },
      },
      { action: 'domain.changed', ...of, details: { domainId: id, indexNow: { enabled: true } }, ...BY_KEY },
      {
        ...{ action: 'domain.changed', ...of, ...BY_KEY },
        details: { domainId: id, guard: { maxRemovedPercent: null } },
      },
      {
        ...{ action: 'domain.changed', ...of, ...BY_PERSON },
        details: { domainId: id, recent: { enabled: true, hours: 24 } },
      },
      { action: 'domain.deleted', ...of, details: { domainId: id }, ...BY_PERSON },
    ]);
  });

  test('that are refused leave nothing', async () => {
    expect((await call('POST /api/domains', { hostname: '127.0.0.1' })).status).toBe(422);
    await done('POST /api/domains', { hostname: 'twice.example.com' });
    expect((await call('POST /api/domains', { hostname: 'twice.example.com' })).status).toBe(409);
    expect(await events()).toHaveLength(1);
  });
});

describe('sitemaps', () => {
  const publish = (domain: string, count: number) =>
    done('POST /api/sitemap/generate', { domain, sitemapName: 'blog', urls: plainEntries(count) });

  test('that are rolled back and deleted; uploads leave nothing', async () => {
    const { id, hostname } = await addVerifiedDomain(database, accountId);
    await publish(hostname, 3);
    await publish(hostname, 4);
    expect(await events()).toEqual([]);
    const path = `/api/domains/${id}/sitemaps/blog`;
    await done(`POST ${path}/rollback`, { generation: 1 }, asPerson);
    expect((await call(`POST ${path}/rollback`, { generation: 9 })).status).toBe(404);
    await done(`DELETE ${path}`);
    expect((await call(`DELETE ${path}`)).status).toBe(404);
    const of = { domainId: id, sitemapName: 'blog' };
    expect(await events()).toEqual([
      {
        ...{ action: 'sitemap.rolled_back', subject: hostname },
        ...{ details: { ...of, restores: 1, generation: 3 }, ...BY_PERSON },
      },
      { action: 'sitemap.deleted', subject: hostname, details: { ...of, generation: 3 }, ...BY_KEY },
    ]);
  });

  test('whose held upload is discarded, once', async () => {
    const { id, hostname } = await addVerifiedDomain(database, accountId);
    await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [id]);
    await publish(hostname, 1200);
    const upload = { domain: hostname, sitemapName: 'blog', urls: plainEntries(5) };
    const { uploadId } = (await call('POST /api/sitemap/generate', upload)).json.error.details;
    for (const by of [asPerson, undefined])
      await done(`POST /api/uploads/${uploadId}/discard`, undefined, by);
    const details = { domainId: id, sitemapName: 'blog', uploadId };
    expect(await events()).toEqual([
      { action: 'upload.discarded', subject: hostname, details, ...BY_PERSON },
    ]);
  });

  test('whose held upload is published in spite of the guard, once', async () => {
    const { id, hostname } = await addVerifiedDomain(database, accountId);
    await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [id]);
    await publish(hostname, 1200);
    const upload = { domain: hostname, sitemapName: 'blog', urls: plainEntries(5) };
    const held = await call('POST /api/sitemap/generate', upload);
    expect(held.status).toBe(409);
    const { uploadId } = held.json.error.details;
    const path = `/api/uploads/${uploadId}/publish`;
    expect((await call(`POST ${path}`, {})).status).toBe(409);
    expect(await events()).toEqual([]);
    await done(`POST ${path}`, { force: true }, asPerson);
    await done(`POST ${path}`, { force: true });
    const of = { domainId: id, sitemapName: 'blog', uploadId, generation: 2, urlCount: 5 };
    expect(await events()).toEqual([
      { action: 'upload.forced', subject: hostname, details: of, ...BY_PERSON },
    ]);
  });
});

test('webhooks that are added, changed and deleted, without the secrets of their paths', async () => {
  const url = 'https://hooks.example.com/T0SECRET?token=hidden';
  const { id, secret } = await done('POST /api/webhooks', { url });
  const path = `/api/webhooks/${id}`;
  await done(`PATCH ${path}`, {});
  await done(`PATCH ${path}`, { enabled: false, events: ['domain.verified'] }, asPerson);
  const rotated = await done(`POST ${path}/rotate`);
  await done(`DELETE ${path}`);
  expect((await call(`DELETE ${path}`)).status).toBe(404);
  const written = await events();
  const subject = 'https://hooks.example.com';
  expect(written).toEqual([
    { action: 'webhook.added', subject, details: { webhookId: id }, ...BY_KEY },
    {
      ...{ action: 'webhook.changed', subject, ...BY_PERSON },
      details: { webhookId: id, fields: ['events', 'enabled'] },
    },
    { action: 'webhook.changed', subject, details: { webhookId: id, fields: ['secret'] }, ...BY_KEY },
    { action: 'webhook.deleted', subject, details: { webhookId: id }, ...BY_KEY },
  ]);
  const text = JSON.stringify(written);
  for (const hidden of ['T0SECRET', 'hidden', secret, rotated.secret]) expect(text).not.toContain(hidden);
});

test('a change that is rolled back at its very end leaves no event', async () => {
  const { id, hostname } = await addVerifiedDomain(database, accountId);
  for (const urls of [1, 2]) {
    await done('POST /api/sitemap/generate', { domain: hostname, urls: plainEntries(urls) });
  }
  expect(await events()).toEqual([]);
  record = () => Promise.reject(new Error('taken over'));
  for (const [route, body] of [
    ['POST /api/domains', { hostname: 'never.example.com' }],
    ['POST /api/webhooks', { url: 'https://hooks.example.com/' }],
    [`POST /api/domains/${id}/sitemaps/default/rollback`, { generation: 1 }],
  ] as const) {
    expect({ route, status: (await call(route, body)).status }).toEqual({ route, status: 500 });
  }
  expect(await events()).toEqual([]);
});
