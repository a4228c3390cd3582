/** Generations, rollbacks and attempts, seen through the API and hosting alone. */
import { describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile, fetchIndex, fetchLocs } from './support/crawler.ts';
import { createCustomer, type Domain } from './support/customer.ts';
import { entries, uploadDocument } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);
const stranger = await createCustomer(waypost);

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const AN_UPLOAD = expect.stringMatching(/^upload_/);

const publish = (domain: Domain, count: number, more: object = {}) =>
  customer.publish({
    ...{ domain: domain.hostname, sizeLimit: 'gsc-optimized', force: true },
    ...{ urls: entries(count), ...more },
  });
const rollBack = (domain: Domain, body: object, name = 'default') =>
  customer.call(`POST /api/domains/${domain.id}/sitemaps/${name}/rollback`, { body });
const generations = async (domain: Domain, query = '') =>
  (await customer.call(`GET /api/domains/${domain.id}/sitemaps/default/generations${query}`)).json;
const uploads = async (domain: Domain, query = '') =>
  (await customer.call(`GET /api/domains/${domain.id}/uploads${query}`)).json;

describe('spec D63', () => {
  test('each upload is a generation; a rollback is one too, and hosting serves it', async () => {
    const domain = await customer.verifiedDomain();
    const first = await publish(domain, 2500);
    expect(first.generation).toBe(1);
    expect(await publish(domain, 1000)).toMatchObject({ generation: 2, filesGenerated: 1 });
    const { status, json } = await rollBack(domain, { generation: 1, ifGeneration: 2 });
    expect(status).toBe(200);
    const { sitemapUrl, indexUrl } = first;
    expect(json.data).toEqual({
      ...{ domain: domain.hostname, uploadId: AN_UPLOAD, generation: 3 },
      ...{ urlCount: 2500, filesGenerated: 3, filesChanged: 2, sitemapUrl, indexUrl, served: true },
    });
    await expect
      .poll(async () => (await fetchIndex(waypost, domain.hostname, '/sitemap-index.xml')).length)
      .toBe(3);
    const parts = await fetchIndex(waypost, domain.hostname, '/sitemap.xml');
    const locs = await Promise.all(parts.map(({ path }) => fetchLocs(waypost, domain.hostname, path)));
    expect(locs.flat()).toEqual(entries(2500).map((entry) => (entry as { loc: string }).loc));
    const { data } = await generations(domain);
    expect(data).toEqual([
      {
        ...{
          generation: 3,
          kind: 'rollback',
          uploadId: json.data.uploadId,
          urlCount: 2500,
          filesGenerated: 3,
        },
        ...{ gzipBytes: expect.any(Number), publishedAt: TIME, live: true, restores: 1, canRollBack: false },
        // No client uploaded this generation: it is a rollback.
        publishedBy: null,
      },
      expect.objectContaining({
        generation: 2,
        kind: 'upload',
        live: false,
        restores: null,
        canRollBack: true,
      }),
      expect.objectContaining({
        ...{ generation: 1, uploadId: first.uploadId, canRollBack: true },
        publishedBy: expect.any(String),
      }),
    ]);
    const sitemaps = await customer.call(`GET /api/domains/${domain.id}/sitemaps`);
    expect(sitemaps.json.data).toMatchObject([{ name: 'default', generation: 3, urlCount: 2500 }]);
  });

  test('generations have pages, newest first', async () => {
    const domain = await customer.verifiedDomain();
    for (let count = 1; count <= 3; count++) await publish(domain, count);
    const page = await generations(domain, '?limit=2');
    expect(page.data.map(({ generation }: { generation: number }) => generation)).toEqual([3, 2]);
    const next = await generations(domain, `?limit=2&cursor=${page.pagination.cursor}`);
    expect(next.data).toMatchObject([{ generation: 1, urlCount: 1 }]);
    expect(next.pagination).toEqual({ hasMore: false });
  });

  test('a crawler beside rollbacks gets one generation or the other, never a missing file', async () => {
    const domain = await customer.verifiedDomain();
    const make = (g: number) => (i: number) => ({ loc: `https://www.example.com/g${g}/${i}` });
    await publish(domain, 2000, { urls: entries(2000, make(1)) });
    await publish(domain, 2000, { urls: entries(2000, make(2)) });
    let isOver = false;
    const seen = new Set<unknown>();
    const crawl = async (path: string) => {
      while (!isOver) {
        // Nothing else looks at these files: there are too many for the judges of produced documents.
        const { body } = await fetchFile(waypost, domain.hostname, path);
        const kinds = Array.from(String(body).matchAll(/<loc>[^<]*\/(g\d)\//g), ([, kind]) => kind);
        expect(kinds).toHaveLength(1000);
        expect(new Set(kinds).size).toBe(1);
        seen.add(kinds[0]);
      }
    };
    const crawlers = Promise.all([crawl('/sitemap.1.xml'), crawl('/sitemap.2.xml')]);
    for (let round = 0; round < 10; round++) {
      const { status } = await rollBack(domain, { generation: round % 2 === 0 ? 1 : 2 });
      expect(status).toBe(200);
      const wanted = make(round % 2 === 0 ? 1 : 2)(0).loc;
      await expect
        .poll(async () => (await fetchLocs(waypost, domain.hostname, '/sitemap.1.xml'))[0])
        .toBe(wanted);
    }
    isOver = true;
    await crawlers;
    expect(seen).toEqual(new Set(['g1', 'g2']));
  });

  test('a crawler that asks with If-Modified-Since gets the files that are back', async () => {
    const domain = await customer.verifiedDomain();
    await publish(domain, 1);
    const { headers } = await fetchFile(waypost, domain.hostname, '/sitemap.xml');
    const since = String(headers['last-modified']);
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(since) + 2000);
    await publish(domain, 2);
    const conditional = async () => {
      const answer = await fetchFile(waypost, domain.hostname, '/sitemap.xml');
      return String(answer.headers['last-modified']);
    };
    await expect.poll(conditional).not.toBe(since);
    const second = await conditional();
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(second) + 2000);
    await rollBack(domain, { generation: 1 });
    await expect.poll(conditional).not.toBe(second);
    const asked = { headers: { 'If-Modified-Since': second } };
    expect((await fetchFile(waypost, domain.hostname, '/sitemap.xml', asked)).status).toBe(200);
  });

  test('a rollback to what is no former generation changes nothing', async () => {
    const domain = await customer.verifiedDomain();
    await publish(domain, 1);
    await publish(domain, 2);
    for (const [body, status, code] of [
      [{ generation: 9 }, 404, 'NOT_FOUND'],
      [{ generation: 2 }, 409, 'CONFLICT'],
      [{ generation: 1, ifGeneration: 1 }, 409, 'CONFLICT'],
      [{}, 422, 'VALIDATION_ERROR'],
      [{ generation: '1' }, 422, 'VALIDATION_ERROR'],
      [{ generation: 1.5 }, 422, 'VALIDATION_ERROR'],
      [{ generation: 2 ** 40 }, 422, 'VALIDATION_ERROR'],
      [{ generation: 1, force: true }, 422, 'VALIDATION_ERROR'],
    ] as const) {
      const refused = await rollBack(domain, body);
      expect({ body, status: refused.status, code: refused.json.error.code }).toEqual({ body, status, code });
    }
    expect((await generations(domain)).data).toHaveLength(2);
  });

  test('other accounts and other names have nothing to roll back', async () => {
    const domain = await customer.verifiedDomain();
    await publish(domain, 1);
    expect((await rollBack(domain, { generation: 1 }, 'other')).status).toBe(404);
    const path = `/api/domains/${domain.id}/sitemaps`;
    expect((await customer.call(`GET ${path}/other/generations`)).status).toBe(404);
    expect((await stranger.call(`GET ${path}/default/generations`)).status).toBe(403);
    const body = { generation: 1 };
    expect((await stranger.call(`POST ${path}/default/rollback`, { body })).status).toBe(403);
  });

  test('ifGeneration of an upload: the one that it may replace', async () => {
    const domain = await customer.verifiedDomain();
    const upload = (ifGeneration: number) =>
      customer.upload({ domain: domain.hostname, ifGeneration, urls: entries(1 + ifGeneration) });
    expect((await upload(0)).json.data.generation).toBe(1);
    const { status, json } = await upload(0);
    expect(status).toBe(409);
    expect(json.error.details).toEqual({ field: 'ifGeneration', value: 0, generation: 1 });
    expect((await upload(1)).json.data.generation).toBe(2);
  });
});

describe('spec D64', () => {
  test('published and refused uploads are listed, newest first, with what came of them', async () => {
    const domain = await customer.verifiedDomain();
    const headers = { 'User-Agent': 'pipeline/1.0 '.padEnd(400, 'x') };
    const published = await customer.upload(
      { domain: domain.hostname, sitemapName: 'news', urls: entries(3) },
      { headers },
    );
    const refused = await customer.upload({
      domain: domain.hostname,
      urls: [{ loc: 'nonsense' }, { loc: 'no\u0000thing' }],
    });
    expect(refused.status).toBe(422);
    await vi.waitFor(async () => expect((await uploads(domain)).data).toHaveLength(2), SOON);
    const { data } = await uploads(domain);
    const common = {
      id: AN_UPLOAD,
      domain: domain.hostname,
      ...{ startedAt: TIME, endedAt: TIME, durationMs: expect.any(Number) },
      ...{ form: 'json', dialect: null, encoding: null, bytesReceived: expect.any(Number), rejected: 0 },
      ...{ keyId: expect.stringMatching(/^key_/), userId: null, load: null },
    };
    expect(data).toEqual([
      {
        ...common,
        ...{ sitemapName: null, outcome: 'refused', urlCount: 0, filesGenerated: 0, generation: null },
        ...{ code: 'VALIDATION_ERROR', message: refused.json.error.message },
        ...{ errors: refused.json.error.details.errors, errorCount: 2, userAgent: null },
        kinds: refused.json.error.details.kinds,
      },
      {
        ...common,
        id: published.json.data.uploadId,
        ...{ sitemapName: 'news', outcome: 'published', urlCount: 3, filesGenerated: 1, generation: 1 },
        ...{ code: null, message: null, errors: [], errorCount: 0, kinds: [] },
        userAgent: headers['User-Agent'].slice(0, 256),
      },
    ]);
    expect(data[1].bytesReceived).toBeGreaterThan(50);
    const page = await uploads(domain, '?limit=1');
    expect(page.data).toEqual([data[0]]);
    const next = await uploads(domain, `?limit=1&cursor=${page.pagination.cursor}`);
    expect(next).toMatchObject({ data: [data[1]], pagination: { hasMore: false } });
    const one = await customer.call(`GET /api/uploads/${data[1].id}`);
    expect(one.json.data).toEqual(data[1]);
    expect((await stranger.call(`GET /api/uploads/${data[1].id}`)).status).toBe(404);
    expect((await stranger.call(`GET /api/domains/${domain.id}/uploads`)).status).toBe(403);
    expect((await customer.call('GET /api/uploads/upload_0000000000000000000000')).status).toBe(404);
  });

  test('who gives no name means the unnamed sitemap, also when the upload is held or refused', async () => {
    const domain = await customer.verifiedDomain();
    await publish(domain, 2500);
    const held = await customer.upload({ domain: domain.hostname, urls: entries(1) });
    expect(held.status).toBe(409);
    const path = `POST /api/sitemap/generate?domain=${domain.hostname}`;
    const refused = await customer.call(path, {
      body: 'nonsense',
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(refused.status).toBe(422);
    await vi.waitFor(async () => {
      expect((await uploads(domain)).data).toMatchObject([
        { outcome: 'refused', form: 'text', sitemapName: 'default' },
        { outcome: 'held', form: 'json', sitemapName: 'default' },
        { outcome: 'published', sitemapName: 'default' },
      ]);
    }, SOON);
  });

  test('one under way is first in the list, with its progress; its client goes away, and it is abandoned', async () => {
    const domain = await customer.verifiedDomain();
    await publish(domain, 1);
    const leave = Promise.withResolvers<void>();
    async function* endless() {
      yield* Array.from(uploadDocument({ domain: domain.hostname, sitemapName: 'big' }, 20_000)).slice(0, -1);
      await leave.promise;
      throw new Error('the producer dies');
    }
    const ended = customer.upload(endless()).catch((error: Error) => error);
    const running = await vi.waitFor(async () => {
      const { data } = await uploads(domain, '?limit=1');
      expect(data[0]).toMatchObject({ outcome: 'running', sitemapName: 'big' });
      expect(data[0].bytesReceived).toBeGreaterThan(500_000);
      expect(data[0].urlCount).toBeGreaterThanOrEqual(5000);
      return data[0];
    }, SOON);
    expect(running).toMatchObject({ endedAt: null, generation: null, code: null, form: 'json' });
    const page = await uploads(domain, '?limit=1');
    const next = await uploads(domain, `?limit=1&cursor=${page.pagination.cursor}`);
    expect(next.data).toMatchObject([{ outcome: 'published' }]);
    const byId = await customer.call(`GET /api/uploads/${running.id}`);
    expect(byId.json.data).toMatchObject({ id: running.id, outcome: 'running' });
    expect((await stranger.call(`GET /api/uploads/${running.id}`)).status).toBe(404);
    leave.resolve();
    expect(await ended).toBeInstanceOf(Error);
    await vi.waitFor(async () => {
      const { json } = await customer.call(`GET /api/uploads/${running.id}`);
      expect(json.data).toMatchObject({ outcome: 'abandoned', endedAt: TIME, generation: null });
    }, SOON);
  });

  test('an upload for no domain of the account leaves nothing', async () => {
    const domain = await customer.verifiedDomain();
    expect((await stranger.upload({ domain: domain.hostname, urls: entries(1) })).status).toBe(404);
    await publish(domain, 1);
    expect((await uploads(domain)).data).toHaveLength(1);
  });
});
