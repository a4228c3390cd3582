/** Uploads and crawlers while the object storage is down, wrong, silent or slow. */
import { execFileSync } from 'node:child_process';
import { afterAll, expect, inject, test, vi } from 'vitest';
import { entries } from '../service/support/entries.ts';
import { send } from '../service/support/send.ts';
import { document, endure, type Site, servedCount } from './support/outage.ts';
import { SOON, startService } from './support/running-service.ts';

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const MINUTES = { timeout: 300_000 };
const end = () => {
  service.s3.mode = 'pass';
  // Cut the connections, or a process would wait for swallowed requests.
  service.s3.cutAll();
};

async function apiIsWell({ customer }: Site) {
  for (let n = 0; n < 5; n++) expect((await customer.call('GET /api/domains')).status).toBe(200);
  expect((await send(`${service.apiUrl}/healthz`)).status).toBe(200);
  expect((await send(`${service.hostingUrl}/healthz`)).status).toBe(200);
}

test.each([
  ['is down', 'refuse', 20_000],
  ['answers 503', { status: 503 }, 20_000],
  ['is full', { status: 507 }, 20_000],
  // Two attempts of 15 s.
  ['hangs', 'hang', 45_000],
] as const)(
  'a store that %s fails uploads in time, and affects nothing else',
  MINUTES,
  async (_, mode, answerMs) => {
    const begin = () => {
      service.s3.mode = mode;
    };
    await endure(service, { answerMs, begin, end, meanwhile: apiIsWell });
  },
);

const { cephConf } = inject('s3');
if (cephConf === undefined) console.warn('SKIPPING A TEST: only a radosgw of our own can be given a quota.');

test.skipIf(cephConf === undefined)(
  'a store without quota fails uploads at once, and affects nothing else',
  MINUTES,
  async () => {
    const quota = (...args: string[]) =>
      execFileSync(
        'radosgw-admin',
        ['quota', ...args, '--quota-scope=bucket', `--bucket=${service.bucket}`],
        {
          env: { ...process.env, CEPH_CONF: cephConf },
        },
      );
    const begin = () => {
      quota('set', '--max-objects=1');
      quota('enable');
    };
    await endure(service, {
      answerMs: 10_000,
      begin,
      end: () => quota('disable'),
      meanwhile: apiIsWell,
    });
  },
);

test('uploads wait for a slow store', MINUTES, async () => {
  const site = await service.addCustomer();
  await site.customer.publish(document(site, 2100));
  service.s3.mode = { bytesPerSecond: 16_384 };
  const upload = site.customer.upload(document(site, 2200));
  await apiIsWell(site);
  expect([2100, 2200]).toContain(await servedCount(service, site));
  expect((await upload).status).toBe(200);
  await vi.waitFor(async () => expect(await servedCount(service, site)).toBe(2200), SOON);
  end();
  await service.checkStored();
});

test("one account's changes that wait for a hanging store do not block other accounts", MINUTES, async () => {
  const site = await service.addCustomer();
  const { customer, hostname } = site;
  const names = Array.from({ length: 30 }, (_, n) => `part-${n}`);
  const { id } = (await customer.call('GET /api/domains')).json.data[0];
  for (const sitemapName of names)
    await customer.publish({ domain: hostname, sitemapName, urls: entries(1) });
  service.s3.mode = 'hang';
  // Repeat after a 503, as clients do: a busy machine may make the database slow.
  const remove = async (name: string) => {
    for (;;) {
      const answer = await customer.call(`DELETE /api/domains/${id}/sitemaps/${name}`);
      if (answer.status !== 503) return answer;
    }
  };
  const changes = Promise.all(names.map(remove));
  // All of them have changed the database, and now wait for the site.
  await vi.waitFor(async () => {
    const left = await service.database.query('SELECT FROM sitemaps WHERE domain_id = $1', [id]);
    expect(left.rowCount).toBe(0);
  }, SOON);
  await apiIsWell(site);
  end();
  for (const { status } of await changes) expect(status).toBe(200);
  await service.checkStored();
});
