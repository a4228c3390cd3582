/** Hosting serves the key files of a site, and asks the store nothing more for them. */
import { afterAll, expect, test } from 'vitest';
import { siteKey, siteSchema } from '../../src/features/sites/site.ts';
import { publishSite } from './hosted-site.ts';
import { HOSTNAME, startHosting } from './start-hosting.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const hosting = await startHosting();
afterAll(() => hosting[Symbol.asyncDispose]());
await publishSite(hosting.storage, { indexNowKeys: [KEY, KEY.replace('0', 'f')] });

test('a key of the site is served as text', async () => {
  const { status, headers, body } = await hosting.get(`/${KEY}.txt`);
  expect({ status, body: body.toString() }).toEqual({ status: 200, body: KEY });
  expect(headers).toMatchObject({
    ...{ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    'x-content-type-options': 'nosniff',
  });
});

test.each([
  ['another key', `/${KEY.replace('f', '0')}.txt`],
  ['upper case', `/${KEY.toUpperCase()}.txt`],
  ['a shorter name', `/${KEY.slice(1)}.txt`],
  ['a longer name', `/0${KEY}.txt`],
  ['an escape', `/%30${KEY.slice(1)}.txt`],
  ['a folder', `/x/${KEY}.txt`],
  ['another ending', `/${KEY}.xml`],
])('%s is not found', async (_, path) => {
  expect((await hosting.get(path)).status).toBe(404);
});

test('it costs no read of the store while the site is known', async () => {
  await hosting.get(`/${KEY}.txt`);
  const before = [...hosting.faults.asked];
  for (const name of [KEY, 'f'.repeat(32)]) await hosting.get(`/${name}.txt`);
  expect(hosting.faults.asked).toEqual(before);
});

test('while the site has a certificate, plain HTTP redirects to the file', async () => {
  const https = await startHosting();
  await publishSite(https.storage, { indexNowKeys: [KEY], https: true, certificate: 'digest' });
  const { status, headers } = await https.get(`/${KEY}.txt`);
  await https[Symbol.asyncDispose]();
  expect({ status, location: headers.location }).toEqual({
    status: 301,
    location: `https://${HOSTNAME}/${KEY}.txt`,
  });
});

test('a site that an older version wrote has no keys', async () => {
  const { indexNowKeys, ...older } = siteSchema.parse({
    ...{ hostname: HOSTNAME, generation: 2, index: null, sitemaps: [], origin: `https://${HOSTNAME}` },
  });
  expect(indexNowKeys).toEqual([]);
  const old = await startHosting();
  await publishSite(old.storage, {});
  await old.storage.put(siteKey(HOSTNAME), [Buffer.from(JSON.stringify(older))]);
  expect((await old.get(`/${KEY}.txt`)).status).toBe(404);
  expect((await old.get('/robots.txt')).status).toBe(200);
  await old[Symbol.asyncDispose]();
});
