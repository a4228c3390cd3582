/** Schedules that fail, whose key is revoked, and whose sitemap is deleted while it is loaded, seen through the API and hosting alone. */
import { afterAll, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { sitemapOf, startSourceHost } from '../support/source-host.ts';
import { isGone } from './support/crawler.ts';
import { createCustomer, customerWith } from './support/customer.ts';
import { useWaypost } from './support/use-waypost.ts';
import { cli } from './support/waypost.ts';

const waypost = await useWaypost();
const host = await startSourceHost();
afterAll(() => host[Symbol.asyncDispose]());

const PAGE = 'https://www.example.com';

async function newSchedule(path: string) {
  const customer = await createCustomer(waypost);
  const domain = await customer.verifiedDomain();
  const sitemap = `/api/domains/${domain.id}/sitemaps/products`;
  const key = await cli(waypost.dataDir, 'key', 'create', customer.accountId, 'pipeline');
  const list = await cli(waypost.dataDir, 'key', 'list', customer.accountId);
  const [keyId = ''] = /key_\w+/.exec(list.split('\n').find((line) => line.includes('pipeline')) ?? '') ?? [];
  const pipeline = customerWith(waypost, customer.accountId, key);
  const body = { cron: '0 6 * * *', load: { sources: [host.origin + path] } };
  expect((await pipeline.call(`PUT ${sitemap}/schedule`, { body })).status).toBe(200);
  const run = async () => {
    expect((await customer.call(`POST ${sitemap}/schedule/run`)).status).toBeLessThan(300);
  };
  const runs = async () => {
    const { status, json } = await customer.call(`GET ${sitemap}/schedule`);
    return status === 200 ? (json.data.runs as { outcome: string | null; uploadId: string }[]) : undefined;
  };
  return { customer, domain, sitemap, keyId, pipeline, run, runs };
}

test('a schedule goes on without the key that made it', async () => {
  host.objects.set('/kept.xml', sitemapOf(`${PAGE}/kept`));
  const { sitemap, keyId, pipeline, run, runs } = await newSchedule('/kept.xml');
  await cli(waypost.dataDir, 'key', 'revoke', keyId);
  expect((await pipeline.call(`GET ${sitemap}/schedule`)).status).toBe(401);
  await run();
  await vi.waitFor(async () => expect(await runs()).toMatchObject([{ outcome: 'published' }]), SOON);
});

test('runs that fail one after the other are counted from the first, until one succeeds', async () => {
  host.objects.delete('/late.xml');
  const { customer, sitemap, run } = await newSchedule('/late.xml');
  const shown = async () => {
    const { failures, failingSince, runs } = (await customer.call(`GET ${sitemap}/schedule`)).json.data;
    return { failures, failingSince, outcomes: runs.map(({ outcome }: { outcome: string }) => outcome) };
  };
  expect(await shown()).toEqual({ failures: 0, failingSince: null, outcomes: [] });
  await run();
  const failed = { failures: 1, failingSince: expect.any(String), outcomes: ['refused'] };
  await vi.waitFor(async () => expect(await shown()).toEqual(failed), SOON);
  const { failingSince } = await shown();
  await run();
  const again = { failures: 2, failingSince, outcomes: ['refused', 'refused'] };
  await vi.waitFor(async () => expect(await shown()).toEqual(again), SOON);
  host.objects.set('/late.xml', sitemapOf(`${PAGE}/late`));
  await run();
  const well = { failures: 0, failingSince: null, outcomes: ['published', 'refused', 'refused'] };
  await vi.waitFor(async () => expect(await shown()).toEqual(well), SOON);
});

test('a sitemap that is deleted while its schedule loads it stays deleted, and its load says so', async () => {
  host.objects.set('/gone.xml', sitemapOf(`${PAGE}/gone`));
  const { customer, domain, sitemap, run, runs } = await newSchedule('/gone.xml');
  await run();
  await vi.waitFor(async () => expect(await runs()).toMatchObject([{ outcome: 'published' }]), SOON);
  const waiting = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const body = sitemapOf(`${PAGE}/gone`, `${PAGE}/back`);
  host.behaviours.set('/gone.xml', (_, response) => {
    waiting.resolve();
    void end.promise.then(() =>
      response.writeHead(200, { 'Content-Length': Buffer.byteLength(body) }).end(body),
    );
  });
  await run();
  await waiting.promise;
  const uploadId = (await runs())![0]!.uploadId;
  expect((await customer.call(`DELETE ${sitemap}`)).status).toBe(200);
  end.resolve();
  const attempt = await customer.call(`GET /api/uploads/${uploadId}`);
  expect(attempt.json.data).toMatchObject({ outcome: 'canceled', generation: null });
  expect(await runs()).toBeUndefined();
  await isGone(waypost, domain.hostname, '/sitemap-products.xml');
});
