/** Postgres is down, restarted, silent or full while uploads and crawlers come. */
import { afterAll, expect, test, vi } from 'vitest';
import { document, endure, expectOutage, type Site, servedCount } from './support/outage.ts';
import { SOON, startService } from './support/running-service.ts';

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const MINUTES = { timeout: 300_000 };

async function apiSaysSo({ customer }: Site) {
  const startedAt = performance.now();
  expectOutage(await customer.call('GET /api/domains'));
  // Spec D21: within 2 s. The rest is for busy machines.
  expect(performance.now() - startedAt).toBeLessThan(6000);
}

test.each([
  ['is down', 'refuse'],
  ['hangs', 'hang'],
] as const)(
  'a database that %s fails requests in time, and hosting is not affected',
  MINUTES,
  async (_, mode) => {
    const { postgres } = service;
    const begin = () => {
      postgres.mode = mode;
    };
    const end = () => {
      postgres.mode = 'pass';
      postgres.cutAll();
    };
    await endure(service, { answerMs: 5000, begin, end, meanwhile: apiSaysSo });
  },
);

test('a database without a free connection fails requests in time', MINUTES, async () => {
  const begin = () => service.limitConnections(0);
  const end = () => service.limitConnections(-1);
  await endure(service, { answerMs: 5000, begin, end, meanwhile: apiSaysSo });
});

test('restarting the database costs at most the requests of that moment', MINUTES, async () => {
  const site = await service.addCustomer();
  await site.customer.publish(document(site, 2100));
  for (let n = 0; n < 10; n++) {
    const upload = site.customer.upload(document(site, 2101 + n));
    service.postgres.cutAll();
    const answer = await upload;
    if (answer.status !== 200) expectOutage(answer);
    expect((await site.customer.call('GET /api/domains')).status).toBe(200);
  }
  expect((await site.customer.upload(document(site, 2200))).status).toBe(200);
  await vi.waitFor(async () => expect(await servedCount(service, site)).toBe(2200), SOON);
  await service.checkStored();
});
