/** Spec 4.5, spec D3 to D10 and D13 to D16: accepted uploads and the files they make. */
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { crawl, fetchEntries, fetchFile, fetchIndex, fetchLocs, isGone } from './support/crawler.ts';
import { createCustomer } from './support/customer.ts';
import { entries, entryAt, inPieces, uploadDocument } from './support/entries.ts';
import { useWaypost } from './support/use-waypost.ts';

const waypost = await useWaypost();
const customer = await createCustomer(waypost);

const locs = (count: number, from = 0) =>
  entries(count, (i) => entryAt(from + i)).map((entry) => (entry as { loc: string }).loc);

const AN_UPLOAD = expect.stringMatching(/^upload_\w{22}$/);

/** A new domain, and the addresses of its files. */
async function newDomain() {
  const { hostname, id } = await customer.verifiedDomain();
  return { id, hostname, address: (path: string) => `http://${hostname}${path}` };
}

/** The domain of tests that use a sitemap name of their own. */
const shared = await newDomain();

describe('4.5 the answer', () => {
  test('to an unnamed upload of one file has neither name nor index', async () => {
    const { hostname, address } = await newDomain();
    const { status, json } = await customer.upload({ domain: hostname, urls: entries(3) });
    expect(status).toBe(200);
    const sitemapUrl = address('/sitemap.xml');
    expect(json).toEqual({
      success: true,
      data: {
        domain: hostname,
        uploadId: AN_UPLOAD,
        generation: 1,
        urlCount: 3,
        filesGenerated: 1,
        filesChanged: 1,
        sitemapUrl,
        served: true,
      },
    });
    expect(await fetchLocs(waypost, hostname, '/sitemap.xml')).toEqual(locs(3));
  });

  test('to a named upload has its name and the index', async () => {
    const { hostname, address } = await newDomain();
    const data = await customer.publish({ domain: hostname, sitemapName: 'blog', urls: entries(1) });
    expect(data).toEqual({
      domain: hostname,
      sitemapName: 'blog',
      uploadId: AN_UPLOAD,
      generation: 1,
      urlCount: 1,
      filesGenerated: 1,
      filesChanged: 1,
      sitemapUrl: address('/sitemap-blog.xml'),
      indexUrl: address('/sitemap-index.xml'),
      served: true,
    });
    expect(await fetchLocs(waypost, hostname, '/sitemap-blog.xml')).toEqual(locs(1));
    expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(404);
  });

  test('to an upload of several files has the index', async () => {
    const { hostname, address } = await newDomain();
    const body = { domain: hostname, sizeLimit: 'gsc-optimized', urls: entries(2500) };
    expect(await customer.publish(body)).toEqual({
      domain: hostname,
      uploadId: AN_UPLOAD,
      generation: 1,
      urlCount: 2500,
      filesGenerated: 3,
      filesChanged: 3,
      sitemapUrl: address('/sitemap.xml'),
      indexUrl: address('/sitemap-index.xml'),
      served: true,
    });
  });

  test('says that nothing is served until the domain is verified (spec D34)', async () => {
    const { hostname, id } = await customer.createDomain();
    const body = { domain: hostname, urls: entries(1) };
    const { served, servedNote } = await customer.publish(body);
    expect(served).toBe(false);
    expect(servedNote).toContain(`POST /api/domains/${id}/verify`);
    expect((await fetchFile(waypost, hostname, '/sitemap.xml')).status).toBe(404);

    await customer.call(`POST /api/domains/${id}/verify`);
    const data = await customer.publish(body);
    expect(data.served).toBe(true);
    expect(data).not.toHaveProperty('servedNote');
    // Hosting believes for SITE_FRESH_MS that there is no site.
    const status = async () => (await fetchFile(waypost, hostname, '/sitemap.xml')).status;
    await expect.poll(status).toBe(200);
  });

  test('has the hostname as it was registered, in any spelling of the upload', async () => {
    const { hostname } = shared;
    for (const domain of [hostname.toUpperCase(), `${hostname}.`]) {
      const body = { domain, sitemapName: 'spelt', urls: entries(1) };
      expect((await customer.publish(body)).domain).toBe(hostname);
    }
  });
});

describe('4.5 sizeLimit', () => {
  test.each([
    ['gsc-optimized', 1000, 1],
    ['gsc-optimized', 1001, 2],
    ['balanced', 10_000, 1],
    ['balanced', 10_001, 2],
    ['standard', 50_000, 1],
    [undefined, 50_001, 2],
    [null, 10_001, 1],
  ])('%s cuts %i URLs into %i files', async (sizeLimit, count, files) => {
    const sitemapName = `${sizeLimit}-${count}`;
    const members = { domain: shared.hostname, sitemapName, sizeLimit };
    const data = await customer.publish(uploadDocument(members, count));
    expect(data).toMatchObject({ urlCount: count, filesGenerated: files });
    const last = `/sitemap-${sitemapName}${files === 1 ? '' : `.${files}`}.xml`;
    const { body } = await fetchFile(waypost, shared.hostname, last);
    expect(String(body.subarray(-200))).toContain(`<loc>${entryAt(count - 1).loc}</loc>`);
  });

  test('gsc-optimized makes 12 files and an index of 12,000 URLs, in the order of the input', async () => {
    const { hostname, address } = await newDomain();
    const data = await customer.publish(
      uploadDocument({ domain: hostname, sizeLimit: 'gsc-optimized' }, 12_000),
    );
    expect(data.filesGenerated).toBe(12);
    const parts = Array.from({ length: 12 }, (_, n) => address(`/sitemap.${n + 1}.xml`));
    const index = await fetchIndex(waypost, hostname, '/sitemap.xml');
    expect(index.map(({ loc }) => loc)).toEqual(parts);
    expect((await fetchIndex(waypost, hostname, '/sitemap-index.xml')).map(({ loc }) => loc)).toEqual(parts);
    for (const [n, { path }] of index.entries()) {
      expect(await fetchLocs(waypost, hostname, path)).toEqual(locs(1000, n * 1000));
    }
    for (const path of ['/sitemap.0.xml', '/sitemap.13.xml', '/sitemap.01.xml', '/sitemap-.1.xml']) {
      expect((await fetchFile(waypost, hostname, path)).status).toBe(404);
    }
  });

  test('spec D10 a file also ends at 1,000 news entries', async () => {
    const publication = { name: 'The Times', language: 'en' };
    const news = { publication, publication_date: '2026-01-15', title: 'Title' };
    const urls = entries(1010, (i) => (i < 1001 ? { ...entryAt(i), news } : entryAt(i)));
    const body = { domain: shared.hostname, sitemapName: 'news', urls };
    expect(await customer.publish(body)).toMatchObject({ filesGenerated: 2 });
    const served = [];
    for (const path of ['/sitemap-news.1.xml', '/sitemap-news.2.xml']) {
      const found = await fetchEntries(waypost, shared.hostname, path);
      expect(found.filter((entry) => entry.news).length).toBeLessThanOrEqual(1000);
      served.push(...found.map(({ loc }) => loc));
    }
    expect(served).toEqual(locs(1010));
  });

  test('spec D10 a file also ends at 50 MiB of XML', async () => {
    // Each character is five in XML.
    const images = [{ loc: 'https://example.com/i.jpg', caption: '&'.repeat(10_000) }];
    const members = { domain: shared.hostname, sitemapName: 'long' };
    const make = (i: number) => ({ ...entryAt(i), images });
    const data = await customer.publish(uploadDocument(members, 1100, make));
    expect(data).toMatchObject({ urlCount: 1100, filesGenerated: 2 });
    const served: string[] = [];
    for (const { path } of await fetchIndex(waypost, shared.hostname, '/sitemap-long.xml')) {
      const gzip = { headers: { 'Accept-Encoding': 'gzip' } };
      const xml = gunzipSync((await fetchFile(waypost, shared.hostname, path, gzip)).body);
      expect(xml.length).toBeLessThanOrEqual(52_428_800);
      for (const [, loc = ''] of String(xml).matchAll(/<url><loc>(.*?)<\/loc>/g)) served.push(loc);
    }
    expect(served).toEqual(locs(1100));
  });
});

describe('spec D3 sitemapName', async () => {
  const unused = await customer.createDomain();

  test.each([
    'a',
    '0',
    'Index',
    'INDEX',
    'index-1',
    'Default',
    'a-b_C9',
    '-',
    '_',
    '__proto__',
    'constructor',
    'x'.repeat(64),
  ])('may be "%s"', async (sitemapName) => {
    const { hostname, address } = shared;
    const data = await customer.publish({ domain: hostname, sitemapName, urls: entries(2) });
    expect(data).toMatchObject({ sitemapName, sitemapUrl: address(`/sitemap-${sitemapName}.xml`) });
    expect(await fetchLocs(waypost, hostname, `/sitemap-${sitemapName}.xml`)).toEqual(locs(2));
  });

  test.each([
    'index',
    'default',
    '',
    'a.b',
    'a/b',
    '../a',
    'a b',
    'ä',
    'a\n',
    'a\0',
    'x'.repeat(65),
    5,
    true,
    {},
    ['a'],
  ])('may not be %j', async (sitemapName) => {
    const { hostname, id } = unused;
    const { status, json } = await customer.upload({ domain: hostname, sitemapName, urls: entries(1) });
    expect({ status, ...json.error.details }).toMatchObject({
      status: 422,
      field: 'sitemapName',
      value: sitemapName,
    });
    expect((await customer.call(`GET /api/domains/${id}/sitemaps`)).json.data).toEqual([]);
  });
});

describe('spec D5 the domain-wide index', () => {
  test("lists the files of all sitemaps, no index, and the time of each file's last change", async () => {
    const { hostname } = await newDomain();
    expect((await fetchFile(waypost, hostname, '/sitemap-index.xml')).status).toBe(404);
    const sizeLimit = 'gsc-optimized';
    await customer.publish({ domain: hostname, urls: entries(1) });
    await customer.publish({ domain: hostname, sitemapName: 'b', sizeLimit, urls: entries(2001) });
    await customer.publish({ domain: hostname, sitemapName: 'a', urls: entries(1) });
    const readIndex = () => fetchIndex(waypost, hostname, '/sitemap-index.xml');
    const all = [
      '/sitemap.xml',
      '/sitemap-a.xml',
      '/sitemap-b.1.xml',
      '/sitemap-b.2.xml',
      '/sitemap-b.3.xml',
    ];
    const before = await readIndex();
    expect(before.map(({ path }) => path)).toEqual(all);
    for (const { lastmod } of before) expect(lastmod).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

    // lastmod counts whole seconds: the next upload must fall into a later one.
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(before[4]!.lastmod) + 1000);
    // The second file changes. The other files keep their bytes.
    const urls = entries(2001, (i) => entryAt(i === 1500 ? -1 : i));
    await customer.publish({ domain: hostname, sitemapName: 'b', sizeLimit, urls });
    await expect
      .poll(async () => (await fetchLocs(waypost, hostname, '/sitemap-b.2.xml'))[500])
      .toBe(entryAt(-1).loc);
    const after = await readIndex();
    expect(after.map(({ path }) => path)).toEqual(all);
    const changed = after.filter(({ lastmod }, i) => lastmod !== before[i]!.lastmod);
    expect(changed.map(({ path }) => path)).toEqual(['/sitemap-b.2.xml']);
    expect(Date.parse(changed[0]!.lastmod)).toBeGreaterThan(Date.parse(before[3]!.lastmod));
    expect(await fetchIndex(waypost, hostname, '/sitemap-b.xml')).toEqual(after.slice(2));
  });
});

describe('spec D8 an upload replaces the whole sitemap of its name', () => {
  test('from one file to several and back, and leaves the other sitemaps alone', async () => {
    const { hostname, id } = await newDomain();
    const sizeLimit = 'gsc-optimized';
    const servedCount = async () => {
      let count = 0;
      for await (const { path, xml } of crawl(waypost, hostname)) {
        if (path !== '/sitemap-other.xml') count += xml.split('<url>').length - 1;
      }
      return count;
    };
    await customer.publish({ domain: hostname, sitemapName: 'other', urls: entries(7) });
    for (const count of [5, 2500, 1200, 3]) {
      await customer.publish({ domain: hostname, sizeLimit, force: true, urls: entries(count) });
      await expect.poll(servedCount).toBe(count);
      expect(await fetchLocs(waypost, hostname, '/sitemap-other.xml')).toEqual(locs(7));
    }
    const { json } = await customer.call(`GET /api/domains/${id}`);
    expect(json.data).toMatchObject({ urlCount: 10, sitemapCount: 2 });
  });

  test('one of ten uploads at once is served, as a whole', async () => {
    const { hostname, id } = await newDomain();
    const counts = Array.from({ length: 10 }, (_, n) => 1001 + n);
    const sizeLimit = 'gsc-optimized';
    await Promise.all(
      counts.map((count) => customer.publish({ domain: hostname, sizeLimit, urls: entries(count) })),
    );
    const [sitemap] = (await customer.call(`GET /api/domains/${id}/sitemaps`)).json.data;
    expect(counts).toContain(sitemap.urlCount);
    await expect
      .poll(async () => (await fetchLocs(waypost, hostname, '/sitemap.2.xml')).length)
      .toBe(sitemap.urlCount - 1000);
    const parts = [
      ...(await fetchLocs(waypost, hostname, '/sitemap.1.xml')),
      ...(await fetchLocs(waypost, hostname, '/sitemap.2.xml')),
    ];
    expect(parts).toEqual(locs(sitemap.urlCount));
  });
});

describe('4.5 the body', () => {
  const { hostname } = shared;

  test('may have its members behind urls', async () => {
    const others = { domain: hostname, sitemapName: 'behind', sizeLimit: 'gsc-optimized', pingSearch: false };
    const data = await customer.publish({ urls: entries(1500), ...others });
    expect(data).toMatchObject({ sitemapName: 'behind', filesGenerated: 2 });
    for (const [n, count] of [1000, 500].entries()) {
      const found = await fetchLocs(waypost, hostname, `/sitemap-behind.${n + 1}.xml`);
      expect(found).toEqual(locs(count, n * 1000));
    }
  });

  test('may have null for optional members, and unknown members in entries (spec D16)', async () => {
    const nothing = { lastmod: null, changefreq: null, priority: null, images: null, hreflang: null };
    const loc = 'https://example.com/';
    const full = {
      loc,
      ...nothing,
      news: null,
      video: null,
      extra: { deep: [{ urls: [1] }] },
      toString: 5,
      constructor: null,
    };
    const body = JSON.stringify({
      domain: hostname,
      sitemapName: null,
      sizeLimit: null,
      pingSearch: null,
      urls: [full, { loc: `${loc}2` }],
    });
    const withProto = body.replace('"extra"', '"__proto__":{"priority":0.1,"lastmod":"x"},"extra"');
    const data = await customer.publish(withProto);
    expect(data).toMatchObject({ urlCount: 2, filesGenerated: 1 });
    expect(data).not.toHaveProperty('sitemapName');
    expect(await fetchEntries(waypost, hostname, '/sitemap.xml')).toEqual([{ loc }, { loc: `${loc}2` }]);
  });

  test('may repeat a key in an entry: the last one wins (spec D16)', async () => {
    const entry = '{"loc":"nonsense","priority":2,"loc":"https://example.com/","priority":0.5}';
    await customer.publish(`{"domain":"${hostname}","sitemapName":"twice","urls":[${entry}]}`);
    const served = await fetchEntries(waypost, hostname, '/sitemap-twice.xml');
    expect(served).toEqual([{ loc: 'https://example.com/', priority: 0.5 }]);
  });

  test('may begin with a byte order mark, have blanks everywhere and escapes in keys', async () => {
    const body = `\ufeff\r\n\t { "dom\\u0061in" : "${hostname}" ,\n "sitemapName":"blanks", "urls"\t:\r[ { "lo\\u0063" : "https:\\/\\/example.com\\/\\u00fc" } , {"loc":"https://example.com/2"}\n]\n}\r\n `;
    await customer.publish(body);
    const served = await fetchLocs(waypost, hostname, '/sitemap-blanks.xml');
    expect(served).toEqual(['https://example.com/%C3%BC', 'https://example.com/2']);
  });

  test.each([1, 7, 1000])(
    'may come in chunks of %i bytes, cut through characters and escapes',
    async (size) => {
      const titles = ['ü€😀', '"quoted" \\ back', '\t\n', '</urlset>', 'plain', '\u2028'];
      const urls = titles.map((title, i) => ({
        ...entryAt(i),
        images: [{ loc: 'https://example.com/i.jpg', title }],
      }));
      const members = { domain: hostname, sitemapName: `pieces-${size}` };
      const text = JSON.stringify({ ...members, urls }).replace('😀', '\\ud83d\\ude00😀');
      await customer.publish(inPieces(Buffer.from(text), size));
      const served = await fetchEntries(waypost, hostname, `/sitemap-pieces-${size}.xml`);
      const images = served.map((entry) => (entry.images as { title: string }[])[0]!.title);
      expect(images).toEqual(['ü€😀😀', ...titles.slice(1)]);
    },
  );

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json; charset="utf-8"',
  ])('may have the type %s', async (type) => {
    const body = JSON.stringify({ domain: hostname, sitemapName: 'typed', urls: entries(1) });
    const { status } = await customer.upload(body, { headers: { 'Content-Type': type } });
    expect(status).toBe(200);
  });
});

test('spec D22 the ping is skipped if no address is configured', async () => {
  const body = { domain: shared.hostname, sitemapName: 'ping', urls: entries(1) };
  const data = await customer.publish({ ...body, pingSearch: true });
  const pingedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(data.searchPing).toEqual({ status: 'skipped', pingedAt });
  const silent = await customer.publish({ ...body, pingSearch: false });
  expect(silent).not.toHaveProperty('searchPing');
});

test('4.4 an upload to a domain that is deleted in the meantime publishes nothing', async () => {
  const { hostname, id } = await newDomain();
  const pause = Promise.withResolvers<void>();
  async function* slowly() {
    const [head, ...rest] = uploadDocument({ domain: hostname }, 5000);
    yield head!;
    yield rest[0]!;
    await pause.promise;
    yield* rest.slice(1);
  }
  const upload = customer.upload(slowly());
  expect((await customer.call(`DELETE /api/domains/${id}`)).status).toBe(200);
  pause.resolve();
  expect(await upload).toMatchObject({ status: 404, json: { error: { code: 'NOT_FOUND' } } });
  await isGone(waypost, hostname, '/sitemap.xml');
});
