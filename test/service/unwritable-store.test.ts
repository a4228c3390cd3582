/** A store that can be read and not written: its answers, lists and readiness. */
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { freePort } from '../../tools/free-port.ts';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer, type Domain } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { send } from './support/send.ts';
import { startWaypost } from './support/waypost.ts';

const metricsPort = await freePort();
const waypost = await startWaypost({ METRICS_PORT: String(metricsPort), SITE_FRESH_MS: '0' });
afterAll(() => waypost[Symbol.asyncDispose]());
const customer = await createCustomer(waypost);
const objects = join(waypost.dataDir, 'objects');

/** Nothing below the name of the site can be written before the end of the scope. */
async function makeUnwritable({ hostname }: Domain): Promise<AsyncDisposable> {
  const folder = join(objects, 'sites', hostname);
  // The site of a domain that was just added may be written meanwhile.
  await vi.waitFor(async () => {
    await rm(`${folder}.away`, { recursive: true, force: true });
    await rename(folder, `${folder}.away`);
    await writeFile(folder, '');
  }, SOON);
  return {
    async [Symbol.asyncDispose]() {
      await rm(folder);
      await rename(`${folder}.away`, folder);
    },
  };
}

test.each([
  ['a small upload', 3],
  ['a large one', 60_000],
])(
  '%s that is committed is not called served before it is, and is never listed as failed',
  async (_, count) => {
    const domain = await customer.verifiedDomain();
    const body = { domain: domain.hostname, urls: entries(count) };
    const key = { headers: { 'Idempotency-Key': `once-${count}` } };
    const listed = async () => (await customer.call(`GET /api/domains/${domain.id}/uploads`)).json.data;
    {
      await using _ = await makeUnwritable(domain);
      for (const _again of [1, 2]) {
        const { status, headers, json } = await customer.upload(body, key);
        expect({ status, code: json.error.code }).toEqual({ status: 500, code: 'INTERNAL_ERROR' });
        expect(json.error.message).toMatch(/^Your change is saved/);
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
      expect(await listed()).toMatchObject([{ outcome: 'published', generation: 1 }]);
    }
    const replayed = await customer.upload(body, key);
    expect(replayed).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
    expect(replayed.json.data).toMatchObject({ served: true, generation: 1, urlCount: count });
    expect((await fetchFile(waypost, domain.hostname, '/sitemap.xml')).status).toBe(200);
    expect(await listed()).toMatchObject([{ outcome: 'published', generation: 1 }]);
  },
);

test('/readyz names a store that cannot be written', async () => {
  const ready = async () => {
    const { status, body } = await send(`http://127.0.0.1:${metricsPort}/readyz`);
    return { status, ...JSON.parse(body.toString()) };
  };
  expect(await ready()).toEqual({ status: 'ready' });
  const probed = (await readdir(objects)).filter((name) => name.startsWith('readyz-'));
  expect(probed).toHaveLength(1);
  const probe = join(objects, probed[0]!);
  await rm(probe);
  await mkdir(probe);
  expect(await ready()).toEqual({ status: 'unavailable', failing: ['object storage'] });
  await rmdir(probe);
  expect(await ready()).toEqual({ status: 'ready' });
  expect(await readdir(objects)).toContain(probed[0]);
});
