/** Guards against accidents: announced counts, entries that are left out, dry runs, and uploads that are held back. */
import { describe, expect, test, vi } from 'vitest';
import { SOON } from '../support/soon.ts';
import { fetchFile, fetchLocs } from './support/crawler.ts';
import { type Customer, createCustomer } from './support/customer.ts';
import { entries, entryAt } from './support/entries.ts';
import { send } from './support/send.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const [customer, other] = [await createCustomer(waypost), await createCustomer(waypost)];

const someInvalid = (count: number, isInvalid: (i: number) => boolean) =>
  entries(count, (i) => (isInvalid(i) ? { ...entryAt(i), priority: 3 } : entryAt(i)));

async function rejectsAt(path: string, who: Customer = customer) {
  const answer = await send(waypost.apiUrl + path, { headers: { 'X-API-Key': who.key } });
  const text = answer.body.toString();
  return {
    ...answer,
    lines: text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

describe('spec D59 expectedUrlCount', () => {
  test('another count is refused, in the body and in the query, and nothing changes', async () => {
    const { hostname } = await customer.verifiedDomain();
    const body = { domain: hostname, urls: entries(3) };
    const path = 'POST /api/sitemap/generate';
    const query = `${path}?expectedUrlCount=4`;
    for (const refused of [
      await customer.call(path, { body: { ...body, expectedUrlCount: 4 } }),
      await customer.call(query, { body }),
    ]) {
      const details = { field: 'expectedUrlCount', value: 4, urlCount: 3 };
      expect(refused).toMatchObject({
        status: 422,
        json: { error: { code: 'VALIDATION_ERROR', details } },
      });
    }
    expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(404);
    const four = { ...body, urls: entries(4) };
    expect((await customer.call(path, { body: { ...four, expectedUrlCount: 4 } })).status).toBe(200);
    expect((await customer.call(query, { body: four })).status).toBe(200);
  });
});

describe('spec D59 onInvalid=skip', () => {
  test('publishes the valid entries, and has a list of the others', async () => {
    const { hostname } = await customer.verifiedDomain();
    const urls = someInvalid(300, (i) => i % 3 === 1);
    const skip = { domain: hostname, onInvalid: 'skip', maxRejected: 100 };
    const data = await customer.publish({ ...skip, urls });
    const rejectsUrl = `/api/uploads/${data.uploadId}/rejects`;
    expect(data).toMatchObject({ urlCount: 200, rejected: 100, rejectsUrl, filesGenerated: 1 });
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(200);
    const { status, headers, lines } = await rejectsAt(rejectsUrl);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/x-ndjson' });
    const message = 'must be a number from 0 to 1';
    expect(lines).toEqual(
      Array.from({ length: 100 }, (_, n) => {
        const index = 3 * n + 1;
        return { index, field: `urls[${index}].priority`, value: 3, message };
      }),
    );

    const { status: refused, json } = await customer.upload({ ...skip, maxRejected: 99, urls });
    expect(refused).toBe(422);
    expect(json.error.message).toMatch(/^urls: 100 entries are invalid, and maxRejected is 99\. The first: /);
    const { details } = json.error;
    expect(details).toMatchObject({ field: 'urls', value: null, rejected: 100, errorCount: 100 });
    expect(details.errors).toHaveLength(100);
    expect((await rejectsAt(details.rejectsUrl)).lines).toEqual(lines);
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(200);
  });

  test('leaves no empty sitemap', async () => {
    const { hostname } = await customer.verifiedDomain();
    const body = { domain: hostname, onInvalid: 'skip', maxRejectedPercent: 100, urls: [{ loc: 'x' }] };
    const { status, json } = await customer.upload(body);
    expect({ status, details: json.error.details }).toMatchObject({
      status: 422,
      details: { field: 'urls' },
    });
  });

  test('lists belong to their account; an upload without one has none', async () => {
    const { hostname } = await customer.verifiedDomain();
    const skip = { domain: hostname, onInvalid: 'skip', maxRejected: 1 };
    const { rejectsUrl } = await customer.publish({ ...skip, urls: someInvalid(2, (i) => i === 0) });
    const none = await customer.publish({ ...skip, urls: entries(1) });
    expect(none).toMatchObject({ rejected: 0 });
    expect(none).not.toHaveProperty('rejectsUrl');
    for (const [who, path] of [
      [other, rejectsUrl],
      [customer, `/api/uploads/${none.uploadId}/rejects`],
      [customer, '/api/uploads/upload_0/rejects'],
    ] as const) {
      expect((await who.call(`GET ${path}`)).json.error).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect((await customer.call(`POST ${rejectsUrl}`)).status).toBe(405);
    expect((await customer.call(`GET ${rejectsUrl}?limit=1`)).status).toBe(422);
  });
});

describe('spec D60 dryRun', () => {
  test('answers what would be, and publishes nothing', async () => {
    const { hostname, id } = await customer.verifiedDomain();
    const body = { domain: hostname, dryRun: true, sizeLimit: 'gsc-optimized', urls: entries(1500) };
    const data = await customer.publish(body);
    expect(data).toMatchObject({
      dryRun: true,
      urlCount: 1500,
      filesGenerated: 2,
      rejected: 0,
      served: true,
    });
    expect(data.sitemapUrl).toContain(hostname);
    expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(404);
    expect((await customer.call(`GET /api/domains/${id}/sitemaps`)).json.data).toEqual([]);
  });

  test('counts all violations of the whole upload', async () => {
    const { hostname } = await customer.createDomain();
    const urls = someInvalid(5000, (i) => i % 25 === 24);
    const { status, json } = await customer.upload({ domain: hostname, dryRun: true, urls });
    expect({ status, details: json.error.details }).toMatchObject({
      status: 422,
      details: { field: 'urls[24].priority', value: 3, errorCount: 200, rejected: 200 },
    });
    const { lines } = await rejectsAt(json.error.details.rejectsUrl);
    expect(lines.map(({ index }) => index)).toEqual(Array.from({ length: 200 }, (_, n) => 25 * n + 24));
  });
});

describe('spec D61 the guard', () => {
  const publishPath = (uploadId: string) => `POST /api/uploads/${uploadId}/publish`;

  test('of a new domain allows 50 percent, and can be changed and switched off', async () => {
    const { id } = await customer.createDomain();
    const guardOf = async () => (await customer.call(`GET /api/domains/${id}`)).json.data.guard;
    expect(await guardOf()).toEqual({ maxRemovedPercent: 50 });
    for (const maxRemovedPercent of [30, 0, 100, null]) {
      const { status, json } = await customer.call(`PATCH /api/domains/${id}`, {
        body: { guard: { maxRemovedPercent } },
      });
      expect({ status, guard: json.data.guard }).toEqual({ status: 200, guard: { maxRemovedPercent } });
      expect(await guardOf()).toEqual({ maxRemovedPercent });
    }
    await customer.call(`PATCH /api/domains/${id}`, { body: { guard: { maxRemovedPercent: 7 } } });
    await customer.call(`PATCH /api/domains/${id}`, { body: { guard: {} } });
    expect(await guardOf()).toEqual({ maxRemovedPercent: 7 });
    await customer.call(`PATCH /api/domains/${id}`, { body: { guard: null } });
    expect(await guardOf()).toEqual({ maxRemovedPercent: null });
  });

  test('that is no limit is refused', async () => {
    const { id } = await customer.createDomain();
    const refused = [101, -1, 0.5, '30'].map(
      (maxRemovedPercent) => [{ maxRemovedPercent }, 'guard.maxRemovedPercent'] as const,
    );
    for (const [guard, field] of [
      ...refused,
      ...([
        [30, 'guard'],
        [[], 'guard'],
        [{ maxRemoved: 3 }, 'guard.maxRemoved'],
      ] as const),
    ]) {
      const { status, json } = await customer.call(`PATCH /api/domains/${id}`, { body: { guard } });
      expect({ guard, status, field: json.error.details.field }).toEqual({ guard, status: 422, field });
    }
  });

  test('passes exactly its limit, holds one URL more, and publishes it without sending it again', async () => {
    const { hostname, id } = await customer.verifiedDomain();
    await customer.call(`PATCH /api/domains/${id}`, { body: { guard: { maxRemovedPercent: 30 } } });
    const put = (count: number, members = {}) =>
      customer.upload({ domain: hostname, urls: entries(count), ...members });
    expect((await put(2000)).status).toBe(200);
    expect((await put(1400)).status).toBe(200);
    const held = await put(979);
    expect(held.status).toBe(409);
    const { code, details, message } = held.json.error;
    expect({ code, details }).toEqual({
      code: 'CONFLICT',
      details: {
        ...{ removed: 421, former: 1400, percent: 30.08, generation: 2 },
        uploadId: expect.stringMatching(/^upload_/),
      },
    });
    expect(message).toContain(`/api/uploads/${details.uploadId}/publish`);
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(1400);

    const publish = (body: object, who = customer) => who.call(publishPath(details.uploadId), { body });
    expect((await publish({})).json.error.details).toEqual(details);
    expect((await publish({ force: 'yes' })).json.error.details).toMatchObject({ field: 'force' });
    expect((await publish({ forced: true })).json.error.details).toMatchObject({ field: 'forced' });
    expect((await publish({ force: true }, other)).status).toBe(404);
    const { status, json } = await publish({ force: true });
    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      ...{ domain: hostname, uploadId: details.uploadId, urlCount: 979, filesGenerated: 1, served: true },
      sitemapUrl: expect.stringMatching(/\/sitemap\.xml$/),
    });
    await vi.waitFor(async () => {
      expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toHaveLength(979);
    }, SOON);
    expect((await publish({})).json).toEqual(json);

    expect((await put(600, { force: true })).status).toBe(200);
  });

  test('tells which URLs an upload would add, change and remove, while it is held', async () => {
    const { hostname, id } = await customer.verifiedDomain();
    await customer.publish({ domain: hostname, urls: entries(3000) });
    const kept = entries(1199, (i) => (i < 2 ? { ...entryAt(i), lastmod: '2026-02-01' } : entryAt(i)));
    const added = { loc: 'https://www.example.com/new', lastmod: '2026-02-02' };
    const { json } = await customer.upload({ domain: hostname, urls: [...kept, added] });
    const { uploadId } = json.error.details;
    const path = `/api/uploads/${uploadId}/changes`;
    const { data } = (await customer.call(`GET ${path}`)).json;
    expect(data).toMatchObject({
      ...{ uploadId, state: 'compared', added: 1, changed: 2, removed: 1801 },
      samples: { added: [added.loc] },
      details: [0, 1].map((i) => ({ loc: entryAt(i).loc, to: { lastmod: '2026-02-01' } })),
    });
    const removed = entries(1801, (i) => entryAt(1199 + i)).map((entry) => (entry as { loc: string }).loc);
    expect(data.samples.removed).toHaveLength(100);
    expect(removed).toEqual(expect.arrayContaining(data.samples.removed));

    const read = async (form: string) =>
      send(`${waypost.apiUrl}${path}?form=${form}`, { headers: { 'X-API-Key': customer.key } });
    const lines = (await read('ndjson')).body.toString().trimEnd().split('\n');
    const gone = lines.map((line) => JSON.parse(line)).filter(({ change }) => change === 'removed');
    expect({ lines: lines.length, gone: gone.map(({ loc }) => loc).sort() }).toEqual({
      lines: 1804,
      gone: removed.sort(),
    });
    const csv = await read('csv');
    expect(csv.headers['content-disposition']).toContain(`held-${hostname}-default.csv`);
    expect(csv.body.toString().trimEnd().split('\r\n')).toHaveLength(1805);

    expect((await other.call(`GET ${path}`)).status).toBe(404);
    await customer.call(`DELETE /api/domains/${id}/sitemaps/default`);
    expect((await customer.call(`GET ${path}`)).json.data).toMatchObject({ state: 'first', removed: null });
    expect(await read('csv')).toMatchObject({ status: 409 });
    await customer.call(`POST /api/uploads/${uploadId}/discard`);
    expect((await customer.call(`GET ${path}`)).json.error).toMatchObject({ code: 'CONFLICT' });
  });

  test('no longer holds what belongs to a deleted domain', async () => {
    const { hostname, id } = await customer.verifiedDomain();
    await customer.publish({ domain: hostname, urls: entries(1200) });
    const { json } = await customer.upload({ domain: hostname, urls: entries(1) });
    expect((await customer.call(`DELETE /api/domains/${id}`)).status).toBe(200);
    const answer = await customer.call(publishPath(json.error.details.uploadId), { body: { force: true } });
    expect(answer).toMatchObject({ status: 409, json: { error: { code: 'CONFLICT' } } });
    expect((await customer.call(publishPath('upload_0'), { body: {} })).status).toBe(404);
    expect((await customer.call('GET /api/uploads/upload_0/publish')).status).toBe(405);
  });
});
