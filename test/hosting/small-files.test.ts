/** Small files and listings that stand in `site.json` (docs/decisions/0038). */
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  listingKey,
  type Site,
  type StoredFile,
  siteKey,
  uploadFileKey,
} from '../../src/features/sites/site.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { publishSite, uploadIndexXml } from './hosted-site.ts';
import { HOSTNAME, type RunningHosting, startHosting } from './start-hosting.ts';

const FILES = ['<urlset>1 of 2</urlset>', '<urlset>2 of 2</urlset>'];
const KEY = siteKey(HOSTNAME);

const publish = ({ storage }: RunningHosting, generation = 1, files: readonly string[] = FILES) =>
  publishSite(storage, { generation, isSmall: true, sitemaps: [{ uploadId: 'u', files }] });

/** Replaces `site.json` by a changed one. */
async function changeSite({ storage }: RunningHosting, change: (site: Site) => void): Promise<void> {
  const site = JSON.parse((await readObject(storage, KEY))!.toString());
  change(site);
  await storage.put(KEY, [Buffer.from(JSON.stringify(site))]);
}

const statusOf = async (hosting: RunningHosting, path: string, ...lines: string[]) =>
  (await hosting.get(path, ...lines)).status;

describe('a site whose files are all small', () => {
  test.each([
    ['/sitemap.xml', uploadIndexXml('u')],
    ['/sitemap.1.xml', FILES[0]],
    ['/sitemap.2.xml', FILES[1]],
    ['/sitemap-index.xml', '<sitemapindex/>'],
  ])('%s is served in every form', async (path, xml) => {
    await using hosting = await startHosting();
    await publish(hosting);
    const identity = await hosting.get(path);
    expect([identity.status, identity.body.toString()]).toEqual([200, xml]);
    const gzip = await hosting.get(path, 'Accept-Encoding: gzip');
    expect(gunzipSync(gzip.body).toString()).toBe(xml);
    const alias = await hosting.get(`${path}.gz`);
    expect(alias.body).toEqual(gzip.body);
    const part = await hosting.get(path, 'Accept-Encoding: gzip', 'Range: bytes=3-9');
    expect(part.body).toEqual(gzip.body.subarray(3, 10));
    const again = await hosting.get(path, `If-None-Match: ${identity.headers.etag}`);
    expect(again.status).toBe(304);
  });

  test('costs one read, whatever is asked for, and is served while the store is down', async () => {
    await using hosting = await startHosting({ maxCachedFileBytes: 0 });
    await publish(hosting);
    const paths = ['/sitemap.xml', '/sitemap.1.xml', '/sitemap.2.xml.gz', '/sitemap-index.xml'];
    for (const path of paths) expect(await statusOf(hosting, path)).toBe(200);
    expect(hosting.faults.moved).toEqual([KEY]);
    hosting.faults.fault = () => 'fails';
    hosting.clock.now += 3_600_000;
    for (const path of paths) expect(await statusOf(hosting, path)).toBe(200);
  });

  test('shows a newer upload after the freshness time', async () => {
    await using hosting = await startHosting();
    await publish(hosting);
    expect((await hosting.get('/sitemap.1.xml')).body.toString()).toBe(FILES[0]);
    await publishSite(hosting.storage, {
      generation: 2,
      isSmall: true,
      sitemaps: [{ uploadId: 'v', files: ['<urlset>newer</urlset>'] }],
    });
    hosting.clock.now += 1_000;
    expect((await hosting.get('/sitemap.xml')).body.toString()).toBe('<urlset>newer</urlset>');
    expect(await statusOf(hosting, '/sitemap.1.xml')).toBe(404);
  });

  test('does not inflate a file again when another change writes site.json', async () => {
    await using hosting = await startHosting();
    await publish(hosting);
    await hosting.get('/sitemap.1.xml');
    await changeSite(hosting, (site) => {
      site.generation = 2;
      site.origin = 'https://other.example.com';
    });
    hosting.clock.now += 1_000;
    expect((await hosting.get('/robots.txt')).body.toString()).toContain('other.example.com');
    expect((await hosting.get('/sitemap.1.xml')).body.toString()).toBe(FILES[0]);
    expect(hosting.counts.inflated).toEqual({ hits: 1, misses: 1 });
  });
});

test('a site of both kinds: an object that a publish removed leads to the newer site', async () => {
  await using hosting = await startHosting();
  const [one, two] = ['<urlset>one</urlset>', '<urlset>two</urlset>'];
  const large = async (generation: number, uploadId: string, xml: string) => {
    await publishSite(hosting.storage, { generation, sitemaps: [{ uploadId, files: [xml] }] });
    const listing = JSON.parse((await readObject(hosting.storage, listingKey(uploadId)))!.toString());
    await changeSite(hosting, ({ sitemaps }) => {
      sitemaps[0]!.listing = listing;
    });
    await hosting.storage.deleteMany([listingKey(uploadId)]);
  };
  await large(1, 'first', one!);
  expect(await statusOf(hosting, '/robots.txt')).toBe(200);
  await large(2, 'second', two!);
  await hosting.storage.deleteMany([uploadFileKey('first', 1)]);
  expect((await hosting.get('/sitemap.xml')).body.toString()).toBe(two);
  expect(hosting.logged).toEqual([]);
});

describe('damaged content is 503 for its file only, until it is repaired', () => {
  const cut = (base64: string) => Buffer.from(base64, 'base64').subarray(0, -1).toString('base64');
  const flip = (base64: string) => {
    const bytes = Buffer.from(base64, 'base64');
    // Within the deflated data, so that CRC-32 or the data itself is wrong.
    bytes[12]! ^= 0xff;
    return bytes.toString('base64');
  };
  const GZIP = ['Accept-Encoding: gzip'];
  const damages: [string, (file: StoredFile) => Partial<StoredFile>, readonly string[]][] = [
    ['too short', ({ content }) => ({ content: cut(content!) }), GZIP],
    ['too long', ({ content }) => ({ content: `${content}AAAA` }), GZIP],
    ['no base64', ({ content }) => ({ content: `*${content!.slice(1)}` }), GZIP],
    ['empty', () => ({ content: '' }), GZIP],
    ['of an absurd length', () => ({ gzipBytes: 2 ** 50 }), GZIP],
    ['no gzip', ({ content }) => ({ content: flip(content!) }), []],
  ];

  test.each(damages)('%s, in site.json', async (_, damage, lines) => {
    await using hosting = await startHosting();
    await publish(hosting);
    await changeSite(hosting, ({ sitemaps }) => {
      const [file] = sitemaps[0]!.listing!.files;
      Object.assign(file!, damage(file!));
    });
    for (const _ of [1, 2]) expect(await statusOf(hosting, '/sitemap.1.xml', ...lines)).toBe(503);
    expect(hosting.logged.map(({ message }) => message)).toEqual(['a published file is missing']);
    for (const path of ['/sitemap.xml', '/sitemap.2.xml', '/sitemap-index.xml']) {
      expect(await statusOf(hosting, path)).toBe(200);
    }
    await publish(hosting, 2);
    expect(await statusOf(hosting, '/sitemap.1.xml', ...lines)).toBe(200);
  });

  test.each(damages)('%s, in listing.json', async (_, damage, lines) => {
    await using hosting = await startHosting();
    await publish(hosting);
    const { storage } = hosting;
    const whole = JSON.parse((await readObject(storage, KEY))!.toString()).sitemaps[0].listing;
    const [first, ...others] = whole.files;
    await changeSite(hosting, ({ sitemaps }) => {
      sitemaps[0]!.listing = undefined;
    });
    const putListing = (listing: unknown) =>
      storage.put(listingKey('u'), [Buffer.from(JSON.stringify(listing))]);
    await putListing({ ...whole, files: [{ ...first, ...damage(first) }, ...others] });
    expect(await statusOf(hosting, '/sitemap.2.xml', ...lines)).toBe(200);
    expect(await statusOf(hosting, '/sitemap.1.xml', ...lines)).toBe(503);
    await putListing(whole);
    // The request that finds the damage drops the listing.
    expect(await statusOf(hosting, '/sitemap.1.xml', ...lines)).toBe(200);
  });
});
