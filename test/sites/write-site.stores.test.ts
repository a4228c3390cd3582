import { describe, expect, onTestFinished, test } from 'vitest';
import type { WriteSiteOptions } from '../../src/features/sites/due-site.ts';
import { HOSTS_PREFIX } from '../../src/features/sites/host-directory.ts';
import {
  listingKey,
  type Site,
  siteIndexesPrefix,
  siteIndexKey,
  siteKey,
  siteSchema,
  uploadIndexKey,
} from '../../src/features/sites/site.ts';
import { writeSite } from '../../src/features/sites/write-site.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { readXml } from '../sitemap/read-xml.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';
import { addManyFiles } from './add-many-files.ts';
import { readHosted, readListing } from './read-hosted.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const account = await addAccount(database);
const options = { database, storage, publicOrigin: 'https://{hostname}', keepReplacedMs: DAY_MS };

/** Puts an upload into the database and the store. No site names it yet. */
const upload = (hostname: string, sitemapName: string | null, urls: number) =>
  fixture.upload(
    account,
    { domain: hostname, sitemapName, sizeLimit: 'gsc-optimized', force: true, urls: plainEntries(urls) },
    { writeSite: async () => {} },
  );

/** The same, with so many files that its listing and the indexes are objects. */
async function uploadMany(hostname: string, sitemapName: string | null, files = 4000) {
  const uploaded = await upload(hostname, sitemapName, 2);
  await addManyFiles(database, uploaded.uploadId, files);
  return uploaded;
}

async function readSite(hostname: string): Promise<Site | undefined> {
  const bytes = await readObject(storage, siteKey(hostname));
  return bytes && siteSchema.parse(JSON.parse(bytes.toString()));
}

const indexLocs = (xml: string) => readXml(xml).children.map((sitemap) => sitemap.children[0]!.text);

/** Checks that everything a site names exists and matches: hosting relies on it. */
async function expectWhole(hostname: string): Promise<Site> {
  const site = (await readSite(hostname))!;
  const hosted = await readHosted(storage, hostname);
  const xmlOf = (path: string): string => JSON.parse(hosted.get(path)!)[2];
  const leaves: string[] = [];
  for (const { name, uploadId, files, listing: held } of site.sitemaps) {
    const listing = held ?? (await readListing(storage, uploadId));
    const stem = name === '' ? 'sitemap' : `sitemap-${name}`;
    const own = listing.files.map(
      (_, i) => `https://${hostname}/${files > 1 ? `${stem}.${i + 1}` : stem}.xml`,
    );
    for (const [i, file] of listing.files.entries()) {
      expect(readXml(xmlOf(`${name}/${i + 1}`)).children).toHaveLength(file.entries);
    }
    if (files > 1) expect(indexLocs(xmlOf(`${name}/index`))).toEqual(own);
    leaves.push(...own);
  }
  if (site.index === null) expect(site.sitemaps).toEqual([]);
  else expect(indexLocs(xmlOf('index'))).toEqual(leaves);
  return site;
}

test('a site names all its sitemaps, their files and an index of the leaves', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const plain = await upload(hostname, null, 1);
  const blog = await upload(hostname, 'blog', 2500);
  await writeSite(options, hostname);
  const site = await expectWhole(hostname);
  expect(site).toMatchObject({
    hostname,
    origin: `https://${hostname}`,
    sitemaps: [
      { name: '', uploadId: plain.uploadId, files: 1, former: [] },
      { name: 'blog', uploadId: blog.uploadId, files: 3, former: [] },
    ],
  });
});

test('a change after a restore of the database is written, although the store has a site of the lost time', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const publish = async (urls: number) => {
    const { uploadId } = await upload(hostname, null, urls);
    await writeSite(options, hostname);
    return uploadId;
  };
  const { rows } = await database.query(
    `SELECT (SELECT generation FROM domains WHERE hostname = $1), (SELECT last_value FROM site_generations)`,
    [hostname],
  );
  await publish(1);
  // As a dump from before the upload brings it back.
  await database.query(
    'DELETE FROM sitemaps WHERE domain_id = (SELECT id FROM domains WHERE hostname = $1)',
    [hostname],
  );
  await database.query('DELETE FROM uploads WHERE domain_id = (SELECT id FROM domains WHERE hostname = $1)', [
    hostname,
  ]);
  await database.query('UPDATE domains SET generation = $2, counted_generation = NULL WHERE hostname = $1', [
    hostname,
    rows[0].generation,
  ]);
  await database.query(`SELECT setval('site_generations', $1)`, [rows[0].last_value]);
  const uploadId = await publish(2);
  expect((await readSite(hostname))!.sitemaps).toMatchObject([{ uploadId }]);
});

describe('a site.json that is damaged', () => {
  test.each(['', '{"hostname":', '\0\0'])('as %j is replaced by the next change', async (text) => {
    const { hostname } = await addVerifiedDomain(database, account);
    for (const files of [3, 2]) {
      const { uploadId } = await upload(hostname, 'blog', (files - 1) * 1000 + 1);
      await writeSite(options, hostname);
      expect(await expectWhole(hostname)).toMatchObject({ sitemaps: [{ uploadId, files }] });
      await storage.put(siteKey(hostname), [Buffer.from(text)]);
    }
    const { uploadId } = await upload(hostname, 'blog', 1);
    await writeSite(options, hostname);
    const former = [{ files: 2 }, { files: 3 }];
    expect(await expectWhole(hostname)).toMatchObject({ sitemaps: [{ uploadId, files: 1, former }] });
  });

  test('goes with its domain', async () => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    await writeSite(options, hostname);
    await storage.put(siteKey(hostname), [Buffer.from('')]);
    await database.query('DELETE FROM domains WHERE id = $1', [id]);
    await writeSite(options, hostname);
    expect(await storage.head(siteKey(hostname))).toBeUndefined();
  });

  test('and one of another shape, as of a newer version, stays', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    await storage.put(siteKey(hostname), [Buffer.from('{"form":2}')]);
    await upload(hostname, 'blog', 1);
    await expect(writeSite(options, hostname)).rejects.toThrow();
    expect(await readObject(storage, siteKey(hostname))).toEqual(Buffer.from('{"form":2}'));
  });
});

test('a domain without sitemaps has a site without an index', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await writeSite(options, hostname);
  expect(await expectWhole(hostname)).toMatchObject({ sitemaps: [], index: null });
});

test.each([
  ['a sitemap is deleted', 'delete'],
  ['a sitemap has fewer files', 'shrink'],
] as const)('the time of the index is later if %s, though no other file has changed', async (_, how) => {
  const domain = await addVerifiedDomain(database, account);
  const { hostname } = domain;
  const lastModified = async () => {
    await writeSite(options, hostname);
    return Date.parse((await readSite(hostname))!.index!.lastModified);
  };
  await upload(hostname, null, 1);
  await upload(hostname, 'blog', 2000);
  const before = await lastModified();
  const asked = Date.now() - 1000;
  if (how === 'shrink') await upload(hostname, 'blog', 1000);
  else
    await deleteSitemap({ openChange: fixture.options.openChange, keepReplacedMs: DAY_MS }, domain, 'blog');
  const after = await lastModified();
  expect(after).toBeGreaterThan(before);
  expect(after).toBeGreaterThanOrEqual(asked);
  // Another publication does not take it back, and neither does a rebuild.
  await upload(hostname, 'news', 1);
  expect(await lastModified()).toBe(after);
  await writeSite(options, hostname, { trustsStore: false });
  expect(await lastModified()).toBe(after);
});

test('the time of the index of a sitemap is later if it has fewer files, though no other file has changed', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const lastModified = async () => {
    await writeSite(options, hostname);
    const { listing } = (await readSite(hostname))!.sitemaps[0]!;
    return Date.parse(listing!.index!.lastModified);
  };
  await upload(hostname, 'blog', 3000);
  const before = await lastModified();
  const { now } = fixture.clock;
  onTestFinished(() => {
    fixture.clock.now = now;
  });
  fixture.clock.now = new Date(now.getTime() + DAY_MS);
  await upload(hostname, 'blog', 2000);
  const after = await lastModified();
  expect(after).toBe(before + DAY_MS);
  await writeSite(options, hostname, { trustsStore: false });
  expect(await lastModified()).toBe(after);
});

test('the times of indexes are later after a clock that was ahead, though a file of that time is still there', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const lastModified = async () => {
    await writeSite(options, hostname);
    const { index, sitemaps } = (await readSite(hostname))!;
    return [index!, sitemaps[0]!.listing!.index!].map((one) => Date.parse(one.lastModified));
  };
  const { now } = fixture.clock;
  onTestFinished(() => {
    fixture.clock.now = now;
  });
  fixture.clock.now = new Date(Date.now() + DAY_MS);
  await upload(hostname, 'blog', 3000);
  fixture.clock.now = now;
  await upload(hostname, 'blog', 2000);
  for (const time of await lastModified()) expect(time).toBeLessThanOrEqual(Date.now());
});

test('every change raises the generation', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const generations: number[] = [];
  for (let n = 1; n <= 3; n++) {
    await upload(hostname, null, n);
    await writeSite(options, hostname);
    generations.push((await expectWhole(hostname)).generation);
  }
  expect(generations).toEqual([...new Set(generations)].sort((a, b) => a - b));
});

test('an index that is an object is garbage before it is stored, and small ones never are', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, null, 1);
  await writeSite(options, hostname);
  expect(await fixture.garbage()).not.toContain(siteIndexesPrefix(hostname));
  expect(await fixture.keys(`sites/${hostname}/`)).toEqual([siteKey(hostname)]);
  await uploadMany(hostname, null);
  const listed: boolean[] = [];
  const watched = storageWithPuts(async (key, put) => {
    if (key.startsWith(siteIndexesPrefix(hostname)))
      listed.push((await fixture.garbage()).includes(siteIndexesPrefix(hostname)));
    await put();
  });
  await writeSite({ ...options, storage: watched }, hostname);
  expect(listed).toEqual([true]);
  await database.query('DELETE FROM garbage');
  await upload(hostname, null, 1);
  await writeSite(options, hostname);
  expect(await fixture.garbage()).toContain(siteIndexesPrefix(hostname));
});

test('objects that exist already are not written again', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, null, 5);
  await writeSite(options, hostname);
  const writes: string[] = [];
  await writeSite({ ...options, storage: countingStorage(writes) }, hostname);
  expect(writes).toEqual([]);
});

test('the objects in site.json are stored concurrently, and site.json after all of them', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const { uploadId } = await uploadMany(hostname, null);
  const underWay = new Set<string>();
  const all = Promise.withResolvers<void>();
  const sideBySide = storageWithPuts(async (key, put) => {
    if (key.startsWith(HOSTS_PREFIX)) return put();
    if (key === siteKey(hostname)) expect([...underWay]).toEqual([]);
    underWay.add(key);
    if (underWay.size === 3) all.resolve();
    if (key !== siteKey(hostname)) await all.promise;
    await put();
    underWay.delete(key);
  });
  await writeSite({ ...options, storage: sideBySide }, hostname);
  const { generation } = (await readSite(hostname))!;
  expect(await fixture.keys(`sites/${hostname}/`)).toEqual([
    siteIndexKey(hostname, generation),
    siteKey(hostname),
  ]);
  expect(await fixture.keys(`uploads/${uploadId}/`)).toContain(listingKey(uploadId));
});

test('site.json stays unchanged if an object that the new one names cannot be stored', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, null, 3000);
  await writeSite(options, hostname);
  const before = await readSite(hostname);
  const { uploadId } = await uploadMany(hostname, null);
  for (const failing of [listingKey(uploadId), uploadIndexKey(uploadId)]) {
    const full = storageWithPuts(async (key, put) => {
      if (key === failing) throw new Error('the store is full');
      await put();
    });
    const writing = writeSite({ ...options, storage: full }, hostname);
    await expect(writing).rejects.toThrow('the store is full');
    expect(await readSite(hostname)).toEqual(before);
  }
  await writeSite(options, hostname);
  expect((await readSite(hostname))!.sitemaps[0]?.uploadId).toBe(uploadId);
});

test('an upload that has a listing gets no second one when another upload changes', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const old = await uploadMany(hostname, 'old', 1000);
  await writeSite(options, hostname);
  const added = await uploadMany(hostname, 'new', 1000);
  const writes: string[] = [];
  await writeSite({ ...options, storage: countingStorage(writes) }, hostname);
  expect(writes).not.toContain(listingKey(old.uploadId));
  expect(writes).toContain(listingKey(added.uploadId));
  expect(writes.at(-1)).toBe(siteKey(hostname));
});

test.each([1, 2, 3, 4])(
  'a store that fails at put %i leaves the old site whole, and a second try succeeds',
  async (k) => {
    const { hostname } = await addVerifiedDomain(database, account);
    await upload(hostname, null, 1500);
    await writeSite(options, hostname);
    const old = await readSite(hostname);
    const { uploadId } = await uploadMany(hostname, null);
    let puts = 0;
    const full = storageWithPuts(async (_key, put) => {
      if (++puts === k) throw new Error('disk full');
      await put();
    });
    await expect(writeSite({ ...options, storage: full }, hostname)).rejects.toThrow('disk full');
    expect(await expectWhole(hostname)).toEqual(old);
    await writeSite(options, hostname);
    expect((await readSite(hostname))!.sitemaps).toMatchObject([{ uploadId, files: 4000 }]);
  },
);

test('concurrent writers of one site leave the newest generation, whole', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      await upload(hostname, `s${n}`, 1 + n);
      await writeSite(options, hostname);
    }),
  );
  const site = await expectWhole(hostname);
  const { rows } = await database.query('SELECT generation FROM domains WHERE id = $1', [id]);
  expect(site.generation).toBe(rows[0].generation);
  expect(site.sitemaps).toHaveLength(6);
});

describe('former uploads', () => {
  const publish: typeof upload = async (...parameters) => {
    const uploaded = await upload(...parameters);
    await writeSite(options, parameters[0]);
    return uploaded;
  };

  test('with more files than the live one are named while they are kept, newest first', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    const five = await publish(hostname, null, 4500);
    const three = await publish(hostname, null, 2500);
    await publish(hostname, null, 1500);
    await publish(hostname, null, 1);
    const live = await publish(hostname, null, 1500);
    const [sitemap] = (await expectWhole(hostname)).sitemaps;
    expect(sitemap?.uploadId).toBe(live.uploadId);
    expect(sitemap?.former).toEqual([
      {
        uploadId: three.uploadId,
        files: 3,
        until: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      { uploadId: five.uploadId, files: 5, until: expect.any(String) },
    ]);
  });

  test('are not named after their time', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    const old = await publish(hostname, null, 2500);
    await publish(hostname, null, 1);
    expect((await expectWhole(hostname)).sitemaps[0]?.former).toHaveLength(1);
    await database.query("UPDATE uploads SET replaced_at = now() - interval '25 hours' WHERE id = $1", [
      old.uploadId,
    ]);
    await publish(hostname, null, 1);
    expect((await expectWhole(hostname)).sitemaps[0]?.former).toEqual([]);
  });

  test('of a deleted sitemap are not named, even if the store is not trusted', async () => {
    const { id, hostname } = await addVerifiedDomain(database, account);
    await publish(hostname, 'p', 4500);
    await publish(hostname, 'p', 2500);
    await deleteSitemap(fixture.options, { id, hostname }, 'p');
    const { uploadId } = await publish(hostname, 'p', 1500);
    await publish(hostname, 'p', 1);
    await writeSite(options, hostname, { trustsStore: false });
    expect((await expectWhole(hostname)).sitemaps).toMatchObject([
      { name: 'p', files: 1, former: [{ uploadId, files: 2 }] },
    ]);
  });

  test('of another sitemap are not named', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    await publish(hostname, 'a', 2500);
    await publish(hostname, 'a', 1);
    await publish(hostname, 'b', 1);
    const [a, b] = (await expectWhole(hostname)).sitemaps;
    expect(a?.former).toHaveLength(1);
    expect(b?.former).toEqual([]);
  });
});

describe('a site is removed', () => {
  test.each(['pending_verification', 'failed'])('when its domain is %s', async (status) => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    await upload(hostname, null, 5);
    await writeSite(options, hostname);
    await database.query('UPDATE domains SET status = $2 WHERE id = $1', [id, status]);
    await writeSite(options, hostname);
    expect(await readSite(hostname)).toBeUndefined();
    expect(await fixture.garbage()).toContain(siteIndexesPrefix(hostname));
  });

  test('when its domain is deleted', async () => {
    const { hostname, id } = await addVerifiedDomain(database, account);
    await writeSite(options, hostname);
    await database.query('DELETE FROM domains WHERE id = $1', [id]);
    await writeSite(options, hostname);
    expect(await readSite(hostname)).toBeUndefined();
    await writeSite(options, hostname);
  });
});

test('an upload that was replaced before any site named it is not a former one', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  await upload(hostname, null, 4500);
  await upload(hostname, null, 1500);
  await writeSite(options, hostname);
  expect((await expectWhole(hostname)).sitemaps).toMatchObject([{ files: 2, former: [] }]);
  const { uploadId } = await upload(hostname, null, 3500);
  await writeSite(options, hostname);
  await upload(hostname, null, 4500);
  await upload(hostname, null, 500);
  await writeSite(options, hostname);
  expect((await expectWhole(hostname)).sitemaps).toMatchObject([
    { files: 1, former: [{ uploadId, files: 4 }] },
  ]);
});

describe('a late site.json', () => {
  /** The first put of site.json seems to fail, and continues when `arrive` is called. */
  function startLatePut(hostname: string) {
    let arrive = async () => {};
    const late = storageWithPuts(async (key, put) => {
      if (key !== siteKey(hostname)) return put();
      arrive = put;
      throw new Error('no answer');
    });
    return { late, arrive: () => arrive() };
  }

  test.each(['put', 'first put'])('does not replace a newer one in the store (%s)', async (which) => {
    const { hostname } = await addVerifiedDomain(database, account);
    if (which === 'put') await writeSite(options, hostname);
    await upload(hostname, null, 5);
    const { late, arrive } = startLatePut(hostname);
    await expect(writeSite({ ...options, storage: late }, hostname)).rejects.toThrow('no answer');
    const { uploadId } = await upload(hostname, null, 7);
    await writeSite(options, hostname);
    await arrive();
    expect((await expectWhole(hostname)).sitemaps).toMatchObject([{ uploadId }]);
  });

  test('that arrives before the next write is found by that write', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    const { uploadId } = await upload(hostname, null, 5);
    let puts = 0;
    const deaf = storageWithPuts(async (key, put) => {
      await put();
      // As when its answer is lost and the storage tries again: the second put finds a changed object.
      if (key === siteKey(hostname) && ++puts === 1) await put();
    });
    expect(await writeSite({ ...options, storage: deaf }, hostname)).toBe(true);
    expect(puts).toBe(1);
    expect((await expectWhole(hostname)).sitemaps).toMatchObject([{ uploadId }]);
  });

  test('from a writer that lost its lock to another one does not replace a newer one', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    await upload(hostname, null, 5);
    let newest = '';
    const overtaken = storageWithPuts(async (key, put) => {
      if (key === siteKey(hostname) && newest === '') {
        // The connection, and with it the lock, is lost while the store is slow.
        await database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_locks
            WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        newest = (await upload(hostname, null, 7)).uploadId;
        await writeSite(options, hostname);
      }
      await put();
    });
    await writeSite({ ...options, storage: overtaken }, hostname).catch(() => {});
    expect((await expectWhole(hostname)).sitemaps).toMatchObject([{ uploadId: newest }]);
  });
});

test('a hostname that is registered again gets another generation than its former site', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  await upload(hostname, null, 5);
  await writeSite(options, hostname);
  const former = (await readSite(hostname))!.generation;
  await database.query('DELETE FROM domains WHERE id = $1', [id]);
  const again = await addVerifiedDomain(database, account);
  await database.query('UPDATE domains SET hostname = $2 WHERE id = $1', [again.id, hostname]);
  await writeSite(options, hostname);
  expect((await expectWhole(hostname)).generation).not.toBe(former);
});

/** A store that calls `around` for each put; `around` decides whether the put happens. */
function storageWithPuts(around: (key: string, put: () => Promise<void>) => Promise<void>) {
  const watched: WriteSiteOptions['storage'] = {
    put: (key, bytes) => around(key, () => storage.put(key, bytes)),
    async putIfUnchanged(key, bytes, former) {
      let isStored = false;
      await around(key, async () => {
        isStored = await storage.putIfUnchanged(key, bytes, former);
      });
      return isStored;
    },
    get: (key) => storage.get(key),
    deleteMany: (keys) => storage.deleteMany(keys),
  };
  return watched;
}

function countingStorage(writes: string[]) {
  return storageWithPuts((key, put) => {
    writes.push(key);
    return put();
  });
}
