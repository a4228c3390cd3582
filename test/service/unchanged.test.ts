/** An upload that changes nothing, seen through the API and hosting alone. */
import { expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile } from './support/crawler.ts';
import { createCustomer, type Domain } from './support/customer.ts';
import { entries } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);

const FILES = ['/sitemap.xml', '/sitemap.1.xml', '/sitemap.2.xml', '/sitemap.3.xml'];

/** Returns the values that a crawler compares: the entity tags and times of the files, and the index with its times. */
async function seen({ hostname }: Domain) {
  const answers = await Promise.all(FILES.map((path) => fetchFile(waypost, hostname, path)));
  return answers.map(({ status, headers }) => ({
    status,
    etag: headers.etag,
    lastModified: headers['last-modified'],
  }));
}

test('the same list in another order, form and encoding keeps all entity tags and times; a changed row changes one file', async () => {
  const domain = await customer.verifiedDomain();
  const body = { domain: domain.hostname, sizeLimit: 'gsc-optimized', pingSearch: true };
  const list = entries(2500);
  const first = await customer.publish({ ...body, urls: list });
  expect(first).toMatchObject({ generation: 1, filesGenerated: 3, filesChanged: 3 });
  expect(first.unchanged).toBeUndefined();
  await vi.waitFor(async () => expect((await seen(domain))[3]!.status).toBe(200), SOON);
  const before = await seen(domain);

  // Files have times in whole seconds.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const lines = list.toReversed().map((entry) => `${JSON.stringify(entry)}\n`);
  const answer = await customer.call(
    `POST /api/sitemap/generate?domain=${domain.hostname}&sizeLimit=gsc-optimized&pingSearch=true`,
    { body: Buffer.from(lines.join('')), headers: { 'Content-Type': 'application/x-ndjson' } },
  );
  expect(answer).toMatchObject({
    status: 200,
    json: {
      data: {
        unchanged: true,
        generation: 1,
        urlCount: 2500,
        filesGenerated: 3,
        filesChanged: 0,
        searchPing: { status: 'skipped' },
      },
    },
  });
  const { uploadId } = answer.json.data;
  expect(uploadId).not.toBe(first.uploadId);
  expect((await customer.call(`GET /api/uploads/${uploadId}`)).json.data).toMatchObject({
    outcome: 'unchanged',
    generation: 1,
  });
  expect(await seen(domain)).toEqual(before);

  const changed = list.with(2100, { ...list[2100], priority: 0.1 } as (typeof list)[number]);
  const next = await customer.publish({ ...body, urls: changed });
  expect(next).toMatchObject({ generation: 2, filesGenerated: 3, filesChanged: 1 });
  await vi.waitFor(async () => expect((await seen(domain))[3]).not.toEqual(before[3]), SOON);
  expect((await seen(domain)).slice(1, 3)).toEqual(before.slice(1, 3));
});

test('an upload that is sent again with its key gets the first answer, unchanged or not', async () => {
  const { hostname } = await customer.verifiedDomain();
  const body = { domain: hostname, urls: entries(3) };
  await customer.publish(body);
  const headers = { 'Idempotency-Key': 'the-night-of-2026-01-15' };
  const first = await customer.upload(body, { headers });
  expect(first.json.data).toMatchObject({ unchanged: true, generation: 1 });
  await customer.publish({ domain: hostname, urls: entries(4) });
  const again = await customer.upload(body, { headers });
  expect(again.json).toEqual(first.json);
  expect(again.headers['idempotency-replayed']).toBe('true');
});

test('a list that was live before is published again', async () => {
  const { hostname } = await customer.verifiedDomain();
  for (const [count, generation] of [
    [3, 1],
    [4, 2],
    [3, 3],
  ] as const) {
    const data = await customer.publish({ domain: hostname, urls: entries(count) });
    expect(data).toMatchObject({ generation, filesChanged: 1 });
  }
});
