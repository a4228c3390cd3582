/** Sites with many sitemaps. Here eight are many, so that sections of four are cut, filled and emptied again and again. */
import { gzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { URLSET_FOOTER, urlsetHeader } from '../../../src/core/sitemap/namespaces.ts';
import { examineSite } from '../../../src/features/doctor/examine-sites.ts';
import { openChange, recordChanges } from '../../../src/features/sites/change-site.ts';
import { collectGarbage } from '../../../src/features/sites/collect-garbage.ts';
import type { WriteSiteOptions } from '../../../src/features/sites/due-site.ts';
import { evictUploads } from '../../../src/features/sites/garbage-store.ts';
import { readSite } from '../../../src/features/sites/read-site.ts';
import { readSitemaps } from '../../../src/features/sites/sections/read-sections.ts';
import {
  feedKey,
  type Site,
  sectionKey,
  siteIndexesPrefix,
  siteIndexKey,
  siteKey,
  siteObjectKeys,
  UPLOADS_PREFIX,
  uploadFileKey,
  uploadPrefix,
  volumeKey,
} from '../../../src/features/sites/site.ts';
import { writeSite } from '../../../src/features/sites/write-site.ts';
import { writeSites } from '../../../src/features/sites/write-sites.ts';
import { deleteSitemap } from '../../../src/features/uploads/delete-sitemap.ts';
import { contentDigest } from '../../../src/platform/content-digest.ts';
import { newId } from '../../../src/platform/ids.ts';
import { inTransaction } from '../../../src/platform/postgres/database.ts';
import { type ObjectStorage, readObject } from '../../../src/platform/storage/object-storage.ts';
import { exchange } from '../../hosting/exchange.ts';
import { startHosting } from '../../hosting/start-hosting.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { collectLog } from '../../support/collect-log.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { plainEntries } from '../../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../../uploads/upload-fixture.ts';
import { addManySitemaps } from '../add-many-sitemaps.ts';
import { readHosted } from '../read-hosted.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const account = await addAccount(database);
const SECTION = 4;
const options: WriteSiteOptions = {
  ...{ database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: DAY_MS },
  sectionSitemaps: SECTION,
};
/** The same, with an index of several volumes. */
const inVolumes: WriteSiteOptions = { ...options, volumeBytes: 300 };
const writeNothing = { writeSite: async () => {}, allowance: { sitemapsPerDomain: 10_000 } };

interface Place {
  readonly id: string;
  readonly hostname: string;
}

const upload = (hostname: string, sitemapName: string | null, urls = 1) =>
  fixture.upload(
    account,
    { domain: hostname, sitemapName, sizeLimit: 'gsc-optimized', force: true, urls: plainEntries(urls) },
    writeNothing,
  );

async function uploadAll(hostname: string, names: readonly string[]): Promise<void> {
  for (const name of names) await upload(hostname, name);
}

const deleting = {
  openChange: () => openChange({ database, writeSite: async () => {} }),
  keepReplacedMs: DAY_MS,
};
const remove = (domain: Place, name: string) => deleteSitemap(deleting, domain, name);
const touch = (domain: Place) =>
  inTransaction(database, (transaction) => recordChanges(transaction, [domain]));
const named = (count: number, prefix = 's') =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(3, '0')}`);

async function divided(hostname: string): Promise<Site & { sections: NonNullable<Site['sections']> }> {
  const { sections, ...site } = (await readSite(storage, hostname))!;
  expect(sections, 'sections').toBeDefined();
  expect(site.sitemaps.filter(({ name }) => name !== 'recent')).toEqual([]);
  return { ...site, sections: sections! };
}

const sitemapsOf = async (hostname: string) => readSitemaps(storage, (await readSite(storage, hostname))!);
const froms = async (hostname: string) => (await divided(hostname)).sections.map(({ from }) => from);

/** The store, and a note of each put. */
function watching(note: (key: string, parts: readonly Uint8Array[]) => void): WriteSiteOptions['storage'] {
  return {
    get: (key) => storage.get(key),
    deleteMany: (keys) => storage.deleteMany(keys),
    put: async (key, parts) => {
      note(key, parts);
      await storage.put(key, parts);
    },
    putIfUnchanged: (key, parts, former) => {
      note(key, parts);
      return storage.putIfUnchanged(key, parts, former);
    },
  };
}

/** Returns the keys and the sizes of the objects that a write of the site puts. */
async function bytesPutBy(hostname: string, writing = options): Promise<ReadonlyMap<string, number>> {
  const puts = new Map<string, number>();
  const note = (key: string, parts: readonly Uint8Array[]) => puts.set(key, Buffer.concat(parts).length);
  await writeSite({ ...writing, storage: watching(note) }, hostname);
  return puts;
}

const putsOf = async (hostname: string, writing = options) => [
  ...(await bytesPutBy(hostname, writing)).keys(),
];

const volumesOf = async (hostname: string) =>
  (await divided(hostname)).dividedIndex!.volumes.map((volume) => volumeKey(hostname, volume));

/** The same site, written whole into a store of its own. There is a former one that nobody trusts, so former uploads are named. */
async function hostedWhole(hostname: string): Promise<Map<string, string>> {
  const sites = new Map<string, readonly Uint8Array[]>();
  const get: ObjectStorage['get'] = async (key, range) => {
    const parts = sites.get(key);
    if (parts === undefined) return storage.get(key, range);
    const whole = Buffer.concat(parts);
    const { length: bytes } = whole;
    return { bytes, objectBytes: bytes, version: undefined, whole, body: undefined as never };
  };
  const apart: WriteSiteOptions['storage'] = {
    get,
    deleteMany: async () => {},
    put: async (key, parts) => void sites.set(key, parts),
    putIfUnchanged: async (key, parts) => Boolean(sites.set(key, parts)),
  };
  await writeSite({ ...options, storage: apart, sectionSitemaps: undefined }, hostname, {
    trustsStore: false,
  });
  return readHosted({ get }, hostname);
}

/** Leaves out the entity tag of the index, because it depends on its pieces. */
function comparable(hosted: ReadonlyMap<string, string>): Map<string, unknown> {
  return new Map(
    [...hosted].map(([path, file]) => {
      const [etag, ...rest] = JSON.parse(file);
      return [path, path === 'index' ? rest : [etag, ...rest]];
    }),
  );
}

async function expectWhole(hostname: string): Promise<void> {
  const site = (await readSite(storage, hostname))!;
  const hosted = comparable(await readHosted(storage, hostname));
  const whole = comparable(await hostedWhole(hostname));
  if ((site.index ?? site.dividedIndex) != null) expect(hosted).toEqual(whole);
  let former = '';
  for (const [at, section] of (site.sections ?? []).entries()) {
    expect(at === 0 ? section.from === '' : section.from > former).toBe(true);
    expect(section.sitemaps).toBeLessThanOrEqual(2 * SECTION);
    former = section.from;
  }
}

beforeEach(async () => {
  await database.query('DELETE FROM site_changes; DELETE FROM garbage');
});

test('a site of many sitemaps is divided, and serves what it would serve as a whole', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await uploadAll(hostname, named(7));
  await writeSite(options, hostname);
  expect((await readSite(storage, hostname))!.sections).toBeUndefined();
  await upload(hostname, null, 2500);
  await writeSite(options, hostname);
  expect(await froms(hostname)).toEqual(['', 's003']);
  await expectWhole(hostname);
});

test('only the section of a changed sitemap is written, with the index', async () => {
  const domain = await addVerifiedDomain(database, account);
  const { hostname } = domain;
  await uploadAll(hostname, named(20));
  await writeSite(options, hostname);
  const before = await divided(hostname);
  expect(before.sections).toHaveLength(5);
  const { uploadId } = await upload(hostname, 's009', 2);
  const puts = await putsOf(hostname);
  const { generation, sections } = await divided(hostname);
  expect(puts.toSorted()).toEqual(
    [
      sectionKey(hostname, { generation, n: 2 }),
      siteKey(hostname),
      `${uploadPrefix(uploadId)}listing.json`,
    ].toSorted(),
  );
  expect(puts.at(-1)).toBe(siteKey(hostname));
  expect(sections.map((section) => section.generation)).toEqual(
    before.sections.map((section, at) => (at === 2 ? generation : section.generation)),
  );
  await expectWhole(hostname);
  await remove(domain, 's009');
  expect(await putsOf(hostname)).toHaveLength(2);
  await expectWhole(hostname);
});

test('of an index in volumes, only the one of a changed section is written', async () => {
  const domain = await addVerifiedDomain(database, account);
  const { hostname } = domain;
  await uploadAll(hostname, named(40));
  await writeSite(inVolumes, hostname);
  const before = await volumesOf(hostname);
  expect(before.length).toBeGreaterThan(3);
  await expectWhole(hostname);
  await upload(hostname, 's013', 2);
  const puts = await putsOf(hostname, inVolumes);
  const after = await volumesOf(hostname);
  const added = after.filter((key) => !before.includes(key));
  expect(added).toHaveLength(1);
  expect(puts).toEqual(expect.arrayContaining(added));
  expect(puts.filter((key) => key.startsWith(siteIndexesPrefix(hostname)))).toHaveLength(2);
  await expectWhole(hostname);
  await touch(domain);
  expect(await putsOf(hostname, inVolumes)).toEqual([siteKey(hostname)]);
  expect(await volumesOf(hostname)).toEqual(after);
  await expectWhole(hostname);
});

test('one URL beside 10,000 sitemaps, each of another time, writes at most 64 kB, time after time', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  await addManySitemaps(database, id, 10_000);
  const asInProduction = { ...options, sectionSitemaps: undefined };
  // Nobody reads the 10,000 listings.
  const put: ObjectStorage['put'] = async (key, parts) => {
    if (!key.startsWith(UPLOADS_PREFIX)) await storage.put(key, parts);
  };
  await writeSite({ ...asInProduction, storage: { ...watching(() => {}), put } }, hostname);
  // The first and the last section, the middle, and a name twice.
  for (const name of ['s00000', 's09999', 's05000', 's05000', 's03321', 's07777']) {
    await upload(hostname, name);
    const puts = [...(await bytesPutBy(hostname, asInProduction)).values()];
    expect(puts.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(64_000);
  }
  const index = JSON.parse(
    (await readHosted(storage, hostname, { isIndexOnly: true })).get('index')!,
  )[2] as string;
  expect(index.match(/<loc>/g)).toHaveLength(10_000);
});

test('a change that is not of sitemaps writes no section', async () => {
  const domain = await addVerifiedDomain(database, account);
  await uploadAll(domain.hostname, named(9));
  await writeSite(options, domain.hostname);
  await touch(domain);
  expect(await putsOf(domain.hostname)).toEqual([siteKey(domain.hostname)]);
  await expectWhole(domain.hostname);
});

test('recent changes are first in the index, and writing them writes no section', async () => {
  const domain = await addVerifiedDomain(database, account);
  const { hostname, id } = domain;
  await uploadAll(hostname, named(9));
  await writeSite(options, hostname);
  await database.query('INSERT INTO recent_sitemaps (domain_id) VALUES ($1)', [id]);
  /** Stores a version of so many files of one entry, and of a feed. */
  const version = async (files: number) => {
    const uploadId = newId('upload');
    const xml = `${urlsetHeader(0)}<url><loc>https://example.com/</loc></url>\n${URLSET_FOOTER}`;
    const gzip = gzipSync(xml);
    const described = {
      bytes: xml.length,
      gzipBytes: gzip.length,
      etag: contentDigest([gzip]),
      lastModified: '2026-01-15T10:00:00Z',
    };
    for (let n = 1; n <= files; n++) await storage.put(uploadFileKey(uploadId, n), [gzip]);
    await storage.put(feedKey(uploadId), [gzip]);
    await database.query(
      'UPDATE recent_sitemaps SET upload_id = $2, files = $3, feed = $4 WHERE domain_id = $1',
      [
        ...[
          id,
          uploadId,
          JSON.stringify(Array.from({ length: files }, () => ({ ...described, entries: 1 }))),
        ],
        JSON.stringify(described),
      ],
    );
    await touch(domain);
    return putsOf(hostname);
  };
  expect(await version(1)).toEqual([siteKey(hostname)]);
  await expectWhole(hostname);
  expect(await version(3)).toEqual([siteKey(hostname)]);
  await expectWhole(hostname);
  const index = JSON.parse((await readHosted(storage, hostname)).get('index')!)[2] as string;
  expect(index.match(/sitemap-recent\.\d\.xml/g)).toEqual([1, 2, 3].map((n) => `sitemap-recent.${n}.xml`));
  expect(index.indexOf('sitemap-recent.3.xml')).toBeLessThan(index.indexOf('sitemap-s000.xml'));
  await using hosting = await startHosting({ storage });
  const status = async (path: string) => {
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${hostname}`, 'Connection: close', '', ''];
    return (await exchange(hosting.port, lines.join('\r\n'))).status;
  };
  for (const path of ['/sitemap-recent.xml', '/sitemap-recent.3.xml', '/sitemap-s004.xml', '/changes.atom'])
    expect({ path, status: await status(path) }).toEqual({ path, status: 200 });
  expect(await status('/sitemap-recent.4.xml')).toBe(404);
  await database.query('DELETE FROM recent_sitemaps WHERE domain_id = $1', [id]);
  await touch(domain);
  await writeSite(options, hostname);
  expect((await divided(hostname)).feed).toBeUndefined();
  await expectWhole(hostname);
});

test('another origin, as with a first certificate, writes everything', async () => {
  const domain = await addVerifiedDomain(database, account);
  await uploadAll(domain.hostname, named(9));
  await writeSite(options, domain.hostname);
  await touch(domain);
  await writeSite({ ...options, publicOrigin: 'https://{hostname}:8443' }, domain.hostname);
  const hosted = await readHosted(storage, domain.hostname);
  expect(hosted.get('index')).not.toContain(`${domain.hostname}/sitemap-`);
  expect(hosted.get('index')!.match(/:8443\/sitemap-/g)).toHaveLength(9);
});

test('sections are cut when they are crowded, and all anew when few sitemaps are left', async () => {
  const domain = await addVerifiedDomain(database, account);
  const { hostname } = domain;
  await uploadAll(hostname, named(8));
  await writeSite(options, hostname);
  await uploadAll(hostname, named(12, 't'));
  await writeSite(options, hostname);
  expect(await froms(hostname)).toEqual(['', 's004', 't000', 't004', 't008']);
  await expectWhole(hostname);
  for (const name of [...named(8), ...named(8, 't')]) {
    await remove(domain, name);
    await writeSite(options, hostname);
    await expectWhole(hostname);
  }
  expect(await froms(hostname)).toEqual(['']);
  for (const name of named(12, 't').slice(9)) await remove(domain, name);
  await writeSite(options, hostname);
  expect((await readSite(storage, hostname))!).toMatchObject({ sitemaps: [{ name: 't008' }] });
  expect((await readSite(storage, hostname))!.sections).toBeUndefined();
  await expectWhole(hostname);
  await remove(domain, 't008');
  await writeSite(options, hostname);
  expect(await readSite(storage, hostname)).toMatchObject({ sitemaps: [], index: null });
});

test('the index of a divided site is one gzip member: many readers stop at the end of the first', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await uploadAll(hostname, named(20));
  await writeSite(options, hostname);
  await upload(hostname, 's010', 2);
  await writeSite(options, hostname);
  const { index } = await divided(hostname);
  const gzip = Buffer.from(index!.content!, 'base64');
  const { buffer } = inflateRawSync(gzip.subarray(10), { info: true }) as unknown as { buffer: Buffer };
  expect(buffer.toString().match(/<loc>/g)).toHaveLength(20);
  expect(gzip.readUInt32LE(gzip.length - 4)).toBe(buffer.length);
});

describe('what the store lost is made again:', () => {
  const lose = (key: string) => storage.deleteMany([key]);
  const damage = (key: string) => storage.put(key, [Buffer.from('{"sitemaps":[')]);
  const sectionOf = ({ hostname, sections }: Site) => sectionKey(hostname, sections![1]!);
  test.each([
    ['a section', lose, sectionOf],
    ['a damaged section', damage, sectionOf],
    [
      'an index of a version without volumes',
      lose,
      ({ hostname, generation }: Site) => siteIndexKey(hostname, generation),
    ],
  ])('%s', async (_, harm, keyOf) => {
    const { hostname } = await addVerifiedDomain(database, account);
    await uploadAll(hostname, named(12));
    await writeSite(options, hostname);
    const site = (await readSite(storage, hostname))!;
    if (site.index!.content !== undefined) {
      // Make the index look large.
      const { content, ...index } = site.index!;
      await storage.put(siteKey(hostname), [
        Buffer.from(JSON.stringify({ ...site, sitemaps: undefined, index })),
      ]);
    }
    await harm(keyOf(site));
    for (const name of named(12)) await upload(hostname, name, 3);
    await writeSite(options, hostname);
    await expectWhole(hostname);
  });

  test.each([
    ['lost', (key: string) => storage.deleteMany([key])],
    ['damaged', (key: string) => storage.put(key, [Buffer.from('nothing')])],
  ])('a volume that is %s', async (_, harm) => {
    const { hostname } = await addVerifiedDomain(database, account);
    await uploadAll(hostname, named(24));
    await writeSite(inVolumes, hostname);
    const volume = (await volumesOf(hostname))[1]!;
    await harm(volume);
    expect((await examineSite({ database, storage }, hostname)).map(({ subject }) => subject)).toContain(
      volume,
    );
    for (const name of named(24).filter((_, n) => n % 4 === 1)) await upload(hostname, name, 3);
    await writeSite(inVolumes, hostname);
    await expectWhole(hostname);
  });

  test('an index of other bytes than site.json says', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    await uploadAll(hostname, named(12));
    await writeSite(options, hostname);
    const site = (await readSite(storage, hostname))!;
    const gzip = Buffer.from(site.index!.content!, 'base64');
    gzip[40]! ^= 1;
    const index = { ...site.index!, content: gzip.toString('base64') };
    await storage.put(siteKey(hostname), [
      Buffer.from(JSON.stringify({ ...site, sitemaps: undefined, index })),
    ]);
    await upload(hostname, 's000', 2);
    await writeSite(options, hostname);
    await expectWhole(hostname);
  });

  test('all of it by a rebuild', async () => {
    const domain = await addVerifiedDomain(database, account);
    const { hostname } = domain;
    await uploadAll(hostname, named(12));
    await upload(hostname, 's003', 3500);
    await writeSite(options, hostname);
    await upload(hostname, 's003', 1);
    await writeSite(options, hostname);
    const keys = await fixture.keys(`sites/${hostname}/`);
    await storage.deleteMany(keys.filter((key) => key !== siteKey(hostname)));
    await touch(domain);
    await writeSite(options, hostname, { trustsStore: false });
    await expectWhole(hostname);
    const [former] = (await sitemapsOf(hostname)).filter(({ name }) => name === 's003');
    expect(former).toMatchObject({ files: 1, former: [{ files: 4 }] });
  });
});

test.each([
  ['', options],
  [', which is in volumes', inVolumes],
])(
  'hosting serves all sitemaps of a divided site, their parts and the index%s, and no others',
  async (_, writing) => {
    const { hostname } = await addVerifiedDomain(database, account);
    await uploadAll(hostname, [...named(12), '__proto__']);
    await upload(hostname, null, 2500);
    await writeSite(writing, hostname);
    await upload(hostname, 's006', 7);
    await writeSite(writing, hostname);
    await using hosting = await startHosting({ storage });
    const get = async (path: string) => {
      const lines = [`GET ${path} HTTP/1.1`, `Host: ${hostname}`, 'Connection: close', '', ''];
      const { status, body } = await exchange(hosting.port, lines.join('\r\n'));
      return status === 200 ? body.toString() : status;
    };
    const locs = async (path: string) =>
      [...String(await get(path)).matchAll(/<loc>https:\/\/[^/]+([^<]+)/g)].map(([, loc]) => loc!);
    const listed = await locs('/sitemap-index.xml');
    expect(listed).toHaveLength(12 + 1 + 3);
    expect((await divided(hostname)).dividedIndex !== undefined).toBe(writing === inVolumes);
    for (const path of listed) expect(await get(path)).toContain('<urlset');
    expect(await locs('/sitemap-s006.xml')).toHaveLength(7);
    expect(await locs('/sitemap.xml')).toHaveLength(3);
    expect(await get('/sitemap-s0065.xml')).toBe(404);
    expect(await get('/sitemap-zzz.xml')).toBe(404);
  },
);

test('a withdrawn upload is named no more', async () => {
  const domain = await addVerifiedDomain(database, account);
  const { hostname } = domain;
  await uploadAll(hostname, named(12));
  const { uploadId } = await upload(hostname, 's003', 3500);
  await writeSite(options, hostname);
  await upload(hostname, 's003', 1);
  await writeSite(options, hostname);
  const formerOf = async () =>
    (await sitemapsOf(hostname)).flatMap(({ former }) => former.map((each) => each.uploadId));
  expect(await formerOf()).toEqual([uploadId]);
  await touch(domain);
  await writeSite(options, hostname);
  expect(await formerOf()).toEqual([uploadId]);
  await inTransaction(database, async (transaction) => {
    await recordChanges(transaction, [domain]);
    await evictUploads(transaction, [uploadPrefix(uploadId)], 0);
  });
  await writeSite(options, hostname);
  expect(await formerOf()).toEqual([]);
});

test('collectors keep the sections and the volumes that site.json names', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await uploadAll(hostname, named(12));
  await writeSite(inVolumes, hostname);
  await upload(hostname, 's000', 2);
  await writeSite(inVolumes, hostname);
  const site = await divided(hostname);
  const living = [...siteObjectKeys(site), siteKey(hostname)].toSorted();
  const collecting = { database, storage, log: collectLog(), keepReplacedMs: -1000, replacedBytes: {} };
  expect((await fixture.keys(`sites/${hostname}/`)).length).toBeGreaterThan(living.length);
  expect(await fixture.garbage()).toContain(siteIndexesPrefix(hostname));
  await database.query(`UPDATE garbage SET collect_after = now() WHERE prefix = $1`, [
    siteIndexesPrefix(hostname),
  ]);
  await collectGarbage(collecting);
  expect((await fixture.keys(`sites/${hostname}/`)).toSorted()).toEqual(living);
});

test('in a group of sites, a divided one is left for a writer of its own', async () => {
  const [divided, whole] = [
    await addVerifiedDomain(database, account),
    await addVerifiedDomain(database, account),
  ];
  await uploadAll(divided.hostname, named(9));
  await writeSite(options, divided.hostname);
  await touch(divided);
  await upload(whole.hostname, null);
  expect(await writeSites(options, [divided.hostname, whole.hostname])).toEqual([
    { value: 'alone' },
    { value: 'written' },
  ]);
  await database.query('UPDATE domains SET status = $2 WHERE id = $1', [divided.id, 'failed']);
  await writeSite(options, divided.hostname);
  expect(await readSite(storage, divided.hostname)).toBeUndefined();
});

const NAMES = named(26, 'n');
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('upload'),
      names: fc.subarray(NAMES, { minLength: 1, maxLength: 9 }),
      urls: fc.constantFrom(1, 2, 1001, 2001),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('remove'),
      names: fc.subarray(NAMES, { minLength: 1, maxLength: 12 }),
      urls: fc.constant(0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('rebuild'),
      names: fc.constant([] as string[]),
      urls: fc.constant(0),
    }),
  },
);

test('whatever is uploaded and deleted, a divided site serves what a whole one would', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(options, inVolumes),
      async (steps, writing) => {
        const domain = await addVerifiedDomain(database, account);
        const { hostname } = domain;
        const live = new Set<string>();
        for (const { kind, names, urls } of steps) {
          for (const name of names) {
            if (kind === 'upload') await upload(hostname, name, urls);
            else if (live.has(name)) await remove(domain, name);
            if (kind === 'upload') live.add(name);
            else live.delete(name);
          }
          if (kind === 'rebuild') await touch(domain);
          await writeSite(writing, hostname, { trustsStore: kind !== 'rebuild' });
          await expectWhole(hostname);
          expect((await sitemapsOf(hostname)).map(({ name }) => name)).toEqual([...live].toSorted());
        }
        expect(await readObject(storage, siteKey(hostname))).toBeDefined();
      },
    ),
    { numRuns: Math.ceil(PROPERTY_RUNS / 10) },
  );
}, 120_000);
