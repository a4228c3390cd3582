import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { FindLimits, FindScope } from '../../src/features/find/find-store.ts';
import { type FoundUrl, findUrl } from '../../src/features/find/find-url.ts';
import { createIndexQueue } from '../../src/features/find/index-queue.ts';
import { takeDueIndex } from '../../src/features/find/index-store.ts';
import { IndexThread } from '../../src/features/find/index-thread.ts';
import { makeIndexes } from '../../src/features/find/make-indexes.ts';
import { nearUrls } from '../../src/features/find/near-urls.ts';
import { UrlIndexesReader } from '../../src/features/find/url-indexes-reader.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { fileHashesKey, uploadFileKey, uploadPrefix } from '../../src/features/sites/site.ts';
import { indexNext } from '../../src/features/sites/url-indexes.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { newId } from '../../src/platform/ids.ts';
import { LeaseLost } from '../../src/platform/postgres/lease.ts';
import { type ByteRange, type ObjectStorage, readObject } from '../../src/platform/storage/object-storage.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { casesOf } from '../support/property-runs.ts';
import { bulkyEntries, plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const account = await addAccount(database, 'enterprise');
const never = new AbortController().signal;
const scope = new AsyncDisposableStack();
const thread = scope.use(new IndexThread());
afterAll(() => scope.disposeAsync());

const upload = (hostname: string, urls: readonly object[], more: object = {}) =>
  fixture.upload(account, { domain: hostname, sizeLimit: 'balanced', urls, ...more });

interface Asked extends Partial<Pick<FindScope, 'accountId'>> {
  readonly domainId?: string;
  readonly sitemapName?: string;
  readonly limits?: Partial<FindLimits>;
  readonly over?: ObjectStorage;
  readonly by?: typeof database;
}

function find(
  url: string,
  { limits = {}, over = storage, by = database, ...asked }: Asked = {},
): Promise<FoundUrl> {
  const options = { database: by, storage: over, limits, indexes: new UrlIndexesReader(over) };
  const { accountId = account, domainId, sitemapName } = asked;
  const domainIds = domainId === undefined ? null : [domainId];
  const sitemapNames = sitemapName === undefined ? null : [sitemapName];
  return findUrl(options, { accountId, domainIds, sitemapNames }, url);
}

/** Makes the index of an upload. Returns the objects under its prefix that are indexes. */
async function index(uploadId: string, maxEntries?: number): Promise<string[]> {
  await database.query(indexNext('$1'), [uploadId]);
  for (let [due] = await takeDueIndex(database); due !== undefined; [due] = await takeDueIndex(database)) {
    await makeIndexes({ database, storage, thread, ...(maxEntries && { maxEntries }) }, due, never);
  }
  return indexesOf(uploadId);
}

const indexesOf = async (uploadId: string) =>
  (await fixture.keys(uploadPrefix(uploadId))).filter((key) => key.endsWith('.index'));

const isWhole = {
  ...{ filesLeft: 0, filesUnreadable: 0, hasMore: false },
  ...{ sitemaps: expect.any(Number), sitemapsLeft: 0 },
};
const NOTHING = { ...isWhole, places: [], near: [] };

/** The storage, with other methods. */
function storageWith(changed: Partial<ObjectStorage>): ObjectStorage {
  return {
    put: (...given) => storage.put(...given),
    putNew: (...given) => storage.putNew(...given),
    putIfUnchanged: (...given) => storage.putIfUnchanged(...given),
    get: (...given) => storage.get(...given),
    getIfChanged: (...given) => storage.getIfChanged(...given),
    head: (...given) => storage.head(...given),
    deleteMany: (...given) => storage.deleteMany(...given),
    list: (...given) => storage.list(...given),
    ...changed,
  };
}

function watched() {
  const read: string[] = [];
  const ranges: ByteRange[] = [];
  const over = storageWith({
    get: (key, range) => {
      read.push(key);
      if (range !== undefined) ranges.push(range);
      return storage.get(key, range);
    },
  });
  return { over, read, ranges };
}

beforeEach(async () => {
  await database.query('DELETE FROM due_url_indexes');
});

describe('in a small sitemap', () => {
  test('a URL is found with its entry, its file and its generation', async () => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    const lastmod = '2026-01-02';
    await upload(hostname, [{ loc: 'https://example.com/?a=1&b', lastmod, priority: 0.5 }], {
      sitemapName: 'small',
    });
    const found = await find('https://example.com/?a=1&b', { domainId: id });
    expect(found).toEqual({
      ...isWhole,
      near: [],
      places: [
        {
          entry:
            '<url><loc>https://example.com/?a=1&amp;b</loc><lastmod>2026-01-02</lastmod><priority>0.5</priority></url>',
          file: expect.objectContaining({
            hostname,
            sitemapName: 'small',
            generation: 1,
            n: 1,
            fileCount: 1,
          }),
        },
      ],
    });
    expect(found.places[0]!.file.lastModified).toBeInstanceOf(Date);
    expect(await find('https://example.com/?a=1', { domainId: id })).toEqual(NOTHING);
  });

  test('a URL is looked for in one sitemap, in one domain, or in all of the account, and in no other account', async () => {
    const [one, two] = [
      await addVerifiedDomain(database, account),
      await addVerifiedDomain(database, account),
    ];
    const url = `https://${one.hostname}/`;
    await upload(one.hostname, [{ loc: url }]);
    await upload(one.hostname, [{ loc: url }], { sitemapName: 'named' });
    await upload(two.hostname, [{ loc: url }], { sitemapName: 'named' });
    const placesIn = async (scope: Asked) =>
      (await find(url, scope)).places.map(({ file }) => [file.hostname, file.sitemapName]);
    expect(await placesIn({})).toEqual([
      [one.hostname, ''],
      [one.hostname, 'named'],
      [two.hostname, 'named'],
    ]);
    expect(await placesIn({ domainId: one.id })).toHaveLength(2);
    expect(await placesIn({ domainId: one.id, sitemapName: '' })).toEqual([[one.hostname, '']]);
    expect(await placesIn({ sitemapName: 'named' })).toHaveLength(2);
    const other = await addAccount(database, 'enterprise');
    expect(await find(url, { accountId: other })).toEqual(NOTHING);
    expect(await find(url, { accountId: other, domainId: one.id })).toEqual(NOTHING);
  });

  test('only the live generation counts', async () => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    await upload(hostname, plainEntries(3));
    await upload(hostname, plainEntries(3, 100), { force: true });
    expect(await find('https://example.com/1', { domainId: id })).toEqual(NOTHING);
    expect((await find('https://example.com/101', { domainId: id })).places).toHaveLength(1);
  });
});

test('any entries, any near variants: the answer is that of a naive model', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const big = plainEntries(10_001);
  const path = fc.constantFrom('', '/', '/a', '/a/', '/A', '/%7Ea', '/~a', '/a,b', '/a%2Cb', '/é', '/%C3%A9');
  const url = fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.constantFrom('', 'www.'),
      path,
      fc.constantFrom('', '?q', '?Q'),
    )
    .map(([scheme, www, rest, query]) => `${scheme}://${www}example.org${rest}${query}`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(url, { minLength: 1, maxLength: 15 }),
      url,
      fc.boolean(),
      async (locs, given, isBig) => {
        const urls = [...locs.map((loc) => ({ loc })), ...(isBig ? big : [])];
        const { uploadId } = await upload(hostname, urls, { force: true });
        if (isBig) expect(await index(uploadId)).toHaveLength(1);
        const written = new Set(locs.map((loc) => loc.replace('é', '%C3%A9')));
        const asked = given.replace('é', '%C3%A9');
        const found = await find(asked, { domainId: id });
        expect(found).toMatchObject(isWhole);
        expect(found.places.map(({ entry }) => entry)).toEqual(
          written.has(asked) ? [`<url><loc>${asked}</loc></url>`] : [],
        );
        const expected = written.has(asked) ? [] : nearUrls(asked).filter((near) => written.has(near.url));
        expect(found.near.map((near) => ({ url: near.url, differences: near.differences }))).toEqual(
          expected,
        );
      },
    ),
    { numRuns: casesOf(25) },
  );
});

describe('with an index', () => {
  const urls = plainEntries(25_000);

  async function indexed(more: { maxEntries?: number; entries?: readonly object[] } = {}) {
    const domain = await addVerifiedDomain(database, account);
    const { uploadId } = await upload(domain.hostname, more.entries ?? urls);
    return { ...domain, uploadId, objects: await index(uploadId, more.maxEntries) };
  }

  test('a look-up reads the head, one bucket and one fragment, and of another URL hardly anything', async () => {
    const { id, uploadId, objects } = await indexed();
    expect(objects).toHaveLength(1);
    const { over, read, ranges } = watched();
    const found = await find('https://example.com/17654', { domainId: id, over });
    expect(found.places).toMatchObject([
      { file: { n: 2 }, entry: '<url><loc>https://example.com/17654</loc></url>' },
    ]);
    expect(read).toEqual([...objects, ...objects, uploadFileKey(uploadId, 2)]);
    // The last file is too short for hashes. The others are indexed by theirs nevertheless.
    expect(ranges).toHaveLength(3);
    expect(await find('https://example.com/25000', { domainId: id })).toEqual(NOTHING);
    const near = await find('http://example.com/24999/', { domainId: id });
    expect(near).toMatchObject({
      places: [],
      near: [{ url: 'https://example.com/24999', differences: ['scheme', 'trailingSlash'] }],
    });
  });

  test('few entries make no index; many make several', async () => {
    const { objects, uploadId, id } = await indexed({ maxEntries: 12_000 });
    expect(objects).toHaveLength(3);
    for (const n of [0, 10_000, 24_999]) {
      expect((await find(`https://example.com/${n}`, { domainId: id })).places).toHaveLength(1);
    }
    // The index is complete already.
    expect(await index(uploadId)).toEqual(objects);
    const small = await addVerifiedDomain(database, account);
    const { uploadId: smallId } = await upload(small.hostname, plainEntries(9999));
    expect(await index(smallId)).toEqual([]);
  });

  test('files without hashes are indexed whole', async () => {
    const entries = [
      ...plainEntries(11_000),
      { loc: 'https://other.example/1' },
      ...plainEntries(500, 11_000),
    ];
    const { id, uploadId, objects } = await indexed({ entries });
    await storage.deleteMany([fileHashesKey(uploadId, 1)]);
    expect(objects).toHaveLength(1);
    for (const url of ['https://other.example/1', 'https://example.com/11499', 'https://example.com/0']) {
      expect((await find(url, { domainId: id })).places).toHaveLength(1);
    }
  });

  test.each([
    ['missing', async (key: string) => storage.deleteMany([key])],
    ['damaged in its head', (key: string) => damage(key, 30)],
    [
      'damaged in its records',
      async (key: string) => {
        const [, uploadId, name] = /^uploads\/(.+)\/urls-(.+)\.index$/.exec(key)!;
        const { rows } = await database.query(
          'SELECT head_bytes FROM url_indexes WHERE upload_id = $1 AND name = $2',
          [uploadId, name],
        );
        const from: number = rows[0].head_bytes;
        await damage(key, from, (await readObject(storage, key))!.length - from);
      },
    ],
    ['cut', async (key: string) => storage.put(key, [(await readObject(storage, key))!.subarray(0, 100)])],
    ['of another form', (key: string) => damage(key, 0)],
  ])('an index that is %s is as good as none, and made anew', async (_what, harm) => {
    const { id, uploadId, objects } = await indexed();
    await harm(objects[0]!);
    const found = await find('https://example.com/17654', { domainId: id });
    expect(found).toMatchObject({ ...isWhole, places: [{ file: { n: 2 } }] });
    expect(await find('http://example.com/17654', { domainId: id })).toMatchObject({
      ...isWhole,
      near: [{ differences: ['scheme'] }],
    });
    const anew = (await index(uploadId)).filter((key) => !objects.includes(key));
    expect(anew).toHaveLength(1);
    expect(await fixture.garbage()).toContain(objects[0]);
    const { over, read } = watched();
    expect((await find('https://example.com/24999', { domainId: id, over })).places).toHaveLength(1);
    expect(read).not.toContain(objects[0]);
  });

  async function damage(key: string, from: number, count = 1) {
    const object = Buffer.from((await readObject(storage, key))!);
    for (let at = from; at < from + count; at++) object[at]! ^= 0x55;
    await storage.put(key, [object]);
  }

  test('a damaged fragment is read from the whole file, and a damaged file is said', async () => {
    const { id, uploadId } = await indexed();
    await damage(uploadFileKey(uploadId, 2), 200, 50);
    const found = await find('https://example.com/10001', { domainId: id });
    expect(found).toEqual({ ...NOTHING, filesLeft: 1, filesUnreadable: 1 });
    expect((await find('https://example.com/9999', { domainId: id })).places).toHaveLength(1);
    await storage.deleteMany([uploadFileKey(uploadId, 1)]);
    expect(await find('https://example.com/9999', { domainId: id })).toEqual({
      ...NOTHING,
      ...{ filesLeft: 1, filesUnreadable: 1 },
    });
  });

  test('an index goes with its upload, and one that is stored too late is collected', async () => {
    const { id, hostname, uploadId, objects } = await indexed();
    await database.query('DELETE FROM url_indexes');
    await database.query(indexNext('$1'), [uploadId]);
    const [due] = await takeDueIndex(database);
    const collect = () =>
      collectGarbage({
        database,
        storage,
        log: collectLog(),
        keepReplacedMs: DAY_MS,
        replacedBytes: {},
      });
    const putNew: ObjectStorage['putNew'] = async (key, parts) => {
      // The upload is collected while its index is made.
      const domain = { id, hostname, accountId: account } as never;
      await deleteSitemap(
        { ...fixture.options, newId, keepReplacedMs: 0 } as never,
        domain,
        '',
        async () => {},
      );
      await database.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', [
        uploadPrefix(uploadId),
      ]);
      await collect();
      await storage.putNew(key, parts);
    };
    await expect(
      makeIndexes({ database, storage: storageWith({ putNew }), thread }, due!, never),
    ).rejects.toThrow(LeaseLost);
    expect((await indexesOf(uploadId)).filter((key) => !objects.includes(key))).toHaveLength(1);
    await database.query('UPDATE garbage SET collect_after = now()');
    await collect();
    expect(await fixture.keys(uploadPrefix(uploadId))).toEqual([]);
    expect(await fixture.garbage()).not.toContain(uploadPrefix(uploadId));
  });

  test('a process that ends gives its work back, and a lease that is lost stops it', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    const { uploadId } = await upload(hostname, urls);
    await database.query(indexNext('$1'), [uploadId]);
    const queue = createIndexQueue({ database, storage }, scope);
    const [due] = await queue.take(1);
    expect(due).toMatchObject({ uploadId });
    expect(await queue.take(1)).toEqual([]);
    await queue.work(due!, AbortSignal.abort(new Error('ending')));
    const [again] = await queue.take(1);
    expect(again).toMatchObject({ uploadId });
    await database.query('UPDATE due_url_indexes SET due_at = now()');
    await expect(makeIndexes({ database, storage, thread }, again!, never)).rejects.toThrow(LeaseLost);
    // Finished indexes stay.
    expect(await indexesOf(uploadId)).toHaveLength(1);
  });

  test('deltas that come meanwhile do not stop it, and their files come next', async () => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    const { uploadId } = await upload(hostname, urls);
    await database.query('DELETE FROM due_url_indexes');
    await database.query(indexNext('$1'), [uploadId]);
    const queue = createIndexQueue({ database, storage }, scope);
    const [due] = await queue.take(1);
    const deltaIds: string[] = [];
    const putNew: ObjectStorage['putNew'] = async (key, parts) => {
      await storage.putNew(key, parts);
      if (!key.endsWith('.index')) return;
      const upsert = [{ loc: urls[0]!.loc, priority: (deltaIds.length + 1) / 10 }];
      await fixture.delta(account, { domain: hostname, upsert });
      const { rows } = await database.query('SELECT upload_id AS id FROM sitemaps WHERE domain_id = $1', [
        id,
      ]);
      deltaIds.push(rows[0].id);
    };
    const over = storageWith({ putNew });
    await makeIndexes({ database, storage: over, thread, maxEntries: 10_000 }, due!, never);
    expect(deltaIds.length).toBeGreaterThan(1);
    expect(await indexesOf(uploadId)).toHaveLength(deltaIds.length);
    const { rows } = await database.query(
      "SELECT upload_id, due_at > now() + interval '1 minute' AS waits FROM due_url_indexes",
    );
    expect(rows).toEqual([{ upload_id: deltaIds.at(-1), waits: true }]);
  });
});

describe('limits', () => {
  test('files beyond the limits are counted, and small ones come first', async () => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    await upload(hostname, plainEntries(10_002));
    const last = 'https://example.com/10001';
    expect(await find(last, { domainId: id, limits: { files: 1 } })).toMatchObject({
      places: [{ file: { n: 2 } }],
      filesLeft: 1,
    });
    expect(await find('https://example.com/1', { domainId: id, limits: { bytes: 1000 } })).toEqual({
      ...NOTHING,
      filesLeft: 1,
    });
    expect(await find(last, { domainId: id, limits: { sitemaps: 0 } })).toEqual({
      ...NOTHING,
      sitemapsLeft: 1,
    });
  });

  test('a URL that moves to another file by a publication during the look-up is found', async () => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    await upload(hostname, plainEntries(10_002));
    let isFirst = true;
    const get: ObjectStorage['get'] = async (key, range) => {
      if (isFirst) {
        isFirst = false;
        await upload(hostname, plainEntries(10_002).reverse(), { force: true });
      }
      return storage.get(key, range);
    };
    expect(
      (await find('https://example.com/1', { domainId: id, over: storageWith({ get }) })).places,
    ).toMatchObject([{ file: { generation: 2, n: 2 } }]);
  });
});

test('an upload that is placed keeps the indexes of the files that it keeps', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const list = bulkyEntries(40_000);
  const first = await upload(hostname, list);
  await index(first.uploadId);
  const added = { loc: 'https://example.com/added' };
  const placed = await upload(hostname, [added, ...list.slice(0, -1)], { placement: 'stable' });
  expect(placed).toMatchObject({ placement: { placement: 'stable' }, filesChanged: 1, fileCount: 4 });
  const ask = async (url: string) => {
    const { places, filesLeft } = await find(url, { domainId: id, limits: { files: 0 } });
    return { filesLeft, at: places.map(({ file: { generation, n } }) => ({ generation, n })) };
  };
  expect(await ask(list[0]!.loc)).toEqual({ filesLeft: 1, at: [{ generation: 2, n: 1 }] });
  await index(placed.uploadId);
  expect(await indexesOf(placed.uploadId)).toHaveLength(1);
  expect(await ask(list[12_345]!.loc)).toEqual({ filesLeft: 0, at: [{ generation: 2, n: 2 }] });
  expect(await ask(added.loc)).toEqual({ filesLeft: 0, at: [{ generation: 2, n: 4 }] });
  expect(await ask(list.at(-1)!.loc)).toEqual({ filesLeft: 0, at: [] });
});

/** The database. Does `work` before each statement with this text. */
const before = (text: string, work: () => Promise<unknown>) =>
  new Proxy(database, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name);
      return async (...given: Parameters<typeof target.query>) => {
        if (JSON.stringify(given[0]).includes(text)) await work();
        return target.query(...given);
      };
    },
  });

test('a URL is found in a file that deltas replace again and again', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const urls = plainEntries(20);
  await upload(hostname, urls);
  let deltas = 0;
  // A delta comes just before each look at the places of files.
  const by = before('liveUploadId', async () => {
    const changed = { loc: urls[1]!.loc, priority: ++deltas / 10 };
    await fixture.delta(account, { domain: hostname, upsert: [changed] });
  });
  const found = await find(urls[5]!.loc, { domainId: id, by });
  expect(deltas).toBe(3);
  expect(found.places).toMatchObject([
    { file: { hostname, n: 1 }, entry: `<url><loc>${urls[5]!.loc}</loc></url>` },
  ]);
  expect(await find('https://example.com/absent', { domainId: id, by })).toMatchObject({ places: [] });
});

test('a look-up that begins again searches only the files that are new', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const urls = bulkyEntries(10_000);
  await upload(hostname, urls, { sizeLimit: 'gsc-optimized' });
  let deltas = 0;
  const by = before('SELECT text FROM state', async () => {
    const changed = { ...urls[1]!, priority: ++deltas / 10 };
    await fixture.delta(account, { domain: hostname, upsert: [changed] });
  });
  const { over, read } = watched();
  expect(await find('https://example.com/absent', { domainId: id, by, over })).toEqual(NOTHING);
  expect(deltas).toBe(2);
  expect(read).toHaveLength(10 + deltas);
});
