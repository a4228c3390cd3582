import { expect, test } from 'vitest';
import { ObjectGone } from '../../../src/edges/hosting/bodies/stored-objects.ts';
import { CachedListing } from '../../../src/edges/hosting/lookup/cached-listing.ts';
import { findFile } from '../../../src/edges/hosting/lookup/find-file.ts';
import { foundFile } from '../../../src/edges/hosting/lookup/found-file.ts';
import type { KnownSite, KnownSitemap } from '../../../src/edges/hosting/lookup/known-sites.ts';
import {
  type SiteSection,
  type StoredFile,
  sectionKey,
  siteIndexKey,
} from '../../../src/features/sites/site.ts';

const stored = (etag: string): StoredFile => ({
  bytes: 2,
  gzipBytes: 1,
  etag,
  lastModified: '2026-01-01T00:00:00Z',
});
const NOW = Date.parse('2026-02-01T00:00:00Z');
const UNTIL = '2026-02-01T00:00:01Z';
const ENDED = '2026-02-01T00:00:00Z';

function siteWith(sitemap: Partial<KnownSitemap>): KnownSite {
  const whole = { name: '', uploadId: 'new', files: 1, former: [], ...sitemap };
  return {
    hostname: 'maps.example.com',
    generation: 7,
    origin: 'https://maps.example.com',
    https: false,
    certificate: null,
    indexNowKeys: [],
    index: foundFile(siteIndexKey('maps.example.com', 7), stored('domain index')),
    sitemaps: new Map([[whole.name, whole]]),
  };
}

/** Each upload has as many files as this listing says. */
function listingsOf(files: Record<string, number>) {
  const listing = async (uploadId: string) =>
    new CachedListing(uploadId, {
      index: stored(`index of ${uploadId}`),
      files: Array.from({ length: files[uploadId] ?? 0 }, (_, at) => ({
        ...stored(`${at + 1}`),
        entries: 1,
      })),
    });
  return { objects: { listing, section }, now: () => NOW };
}

const section = () => {
  throw new Error('the site is not divided');
};

const keyOf = async (
  sitemap: Partial<KnownSitemap>,
  name: Parameters<typeof findFile>[1],
  files: Record<string, number> = { new: 9, older: 9, oldest: 9 },
) => (await findFile(siteWith(sitemap), name, listingsOf(files)))?.key;

const part = (n: number) => ({ kind: 'part', name: '', n }) as const;

test('the domain-wide index belongs to the generation', async () => {
  expect(await keyOf({}, { kind: 'index' })).toBe('sites/maps.example.com/index-7.xml.gz');
});

test('a sitemap of one file is that file and has no parts', async () => {
  expect(await keyOf({ files: 1 }, { kind: 'sitemap', name: '' })).toBe('uploads/new/1.xml.gz');
  expect(await keyOf({ files: 1 }, part(1))).toBeUndefined();
});

test('a sitemap of several files is their index and has as many parts', async () => {
  expect(await keyOf({ files: 2 }, { kind: 'sitemap', name: '' })).toBe('uploads/new/index.xml.gz');
  expect(await keyOf({ files: 2 }, part(2))).toBe('uploads/new/2.xml.gz');
  expect(await keyOf({ files: 2 }, part(3))).toBeUndefined();
});

test('a file of a rollback is the object that the listing names; the index is its own', async () => {
  const file = { ...stored('1'), entries: 1 };
  const files = [
    { ...file, uploadId: 'first' },
    { ...file, uploadId: 'first', n: 7 },
    { ...file, n: 1 },
    file,
  ];
  const listing = new CachedListing('back', { index: stored('index'), files });
  const options = { objects: { listing: async () => listing, section }, now: () => NOW };
  const keys = await Promise.all(
    [part(1), part(2), part(3), part(4), { kind: 'sitemap', name: '' } as const].map(
      async (name) => (await findFile(siteWith({ uploadId: 'back', files: 4 }), name, options))?.key,
    ),
  );
  expect(keys).toEqual([
    'uploads/first/1.xml.gz',
    'uploads/first/7.xml.gz',
    'uploads/back/1.xml.gz',
    'uploads/back/4.xml.gz',
    'uploads/back/index.xml.gz',
  ]);
});

test('parts beyond the current ones come from the newest former upload that has them, until it expires', async () => {
  const former = [
    { uploadId: 'older', files: 3, until: UNTIL },
    { uploadId: 'oldest', files: 5, until: UNTIL },
  ];
  expect(await keyOf({ files: 2, former }, part(2))).toBe('uploads/new/2.xml.gz');
  expect(await keyOf({ files: 2, former }, part(3))).toBe('uploads/older/3.xml.gz');
  expect(await keyOf({ files: 2, former }, part(4))).toBe('uploads/oldest/4.xml.gz');
  expect(await keyOf({ files: 2, former }, part(6))).toBeUndefined();
  expect(
    await keyOf({ files: 2, former: [{ uploadId: 'older', files: 3, until: ENDED }] }, part(3)),
  ).toBeUndefined();
});

test('a crawler with the old index still gets every part after the sitemap becomes one file', async () => {
  const former = [{ uploadId: 'older', files: 3, until: UNTIL }];
  expect(await keyOf({ files: 1, former }, part(1))).toBe('uploads/older/1.xml.gz');
});

test('an unknown name is undefined', async () => {
  expect(await keyOf({ name: 'news' }, { kind: 'sitemap', name: '' })).toBeUndefined();
});

test('a file in the site but not in the listing is gone, which is different from absent', async () => {
  await expect(keyOf({ files: 3 }, part(3), { new: 2 })).rejects.toThrow(ObjectGone);
});

test('the listing in site.json is for the live upload; a former one has an object', async () => {
  const listing = new CachedListing('new', {
    index: stored('small'),
    files: [{ ...stored('1'), entries: 1 }],
  });
  const former = [{ uploadId: 'older', files: 3, until: UNTIL }];
  const site = siteWith({ files: 2, listing, former });
  const asked: string[] = [];
  const { objects, now } = listingsOf({ older: 3 });
  const options = {
    objects: {
      listing: (uploadId: string) => {
        asked.push(uploadId);
        return objects.listing(uploadId);
      },
      section,
    },
    now,
  };
  expect(findFile(site, { kind: 'sitemap', name: '' }, options)).toBe(listing.index);
  expect(findFile(site, part(1), options)).toBe(listing.file(1));
  expect(asked).toEqual([]);
  expect((await findFile(site, part(3), options))?.key).toBe('uploads/older/3.xml.gz');
  expect(asked).toEqual(['older']);
});

test('a sitemap of a divided site is in the section whose range has its name', async () => {
  const site = { ...siteWith({}), sitemaps: new Map() };
  const names = ['', 'a', 'b', 'c', 'm', 'z'];
  const froms = ['', 'b', 'c', 'p'];
  const sections = froms.map((from, n) => ({
    ...{ from, generation: 5, n, sitemaps: 1, digest: '', lastModified: UNTIL },
    index: { bytes: 0, gzipBytes: 0, crc: 0 },
  }));
  const asked: string[] = [];
  const { objects, now } = listingsOf({ new: 1 });
  const options = {
    objects: {
      ...objects,
      section: async (hostname: string, section: SiteSection) => {
        const key = sectionKey(hostname, section);
        asked.push(key);
        return new Map([['m', { name: 'm', uploadId: 'new', files: 1, former: [] }]]);
      },
    },
    now,
  };
  const found = await Promise.all(
    names.map((name) => findFile({ ...site, sections }, { kind: 'sitemap', name }, options)),
  );
  expect(asked).toEqual([0, 0, 1, 2, 2, 3].map((n) => `sites/maps.example.com/index-5-${n}.json`));
  expect(found.map((file) => file?.key)).toEqual([
    ...[undefined, undefined, undefined, undefined],
    ...['uploads/new/1.xml.gz', undefined],
  ]);
});
