import { beforeEach, describe, expect, test } from 'vitest';
import { deleteDomain } from '../../src/features/domains/delete-domain.ts';
import { openChange } from '../../src/features/sites/change-site.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { takeDueGarbage } from '../../src/features/sites/due-garbage-store.ts';
import {
  addGarbage,
  endGenerations,
  rescueFromGarbage,
  sumKeptBytes,
} from '../../src/features/sites/garbage-store.ts';
import { readSite } from '../../src/features/sites/read-site.ts';
import {
  changesKey,
  listingKey,
  siteIndexesPrefix,
  siteIndexKey,
  uploadPrefix,
} from '../../src/features/sites/site.ts';
import { writeSite } from '../../src/features/sites/write-site.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { plainEntries } from '../uploads/batches.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';
import { addManyFiles } from './add-many-files.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
/** Uploads, and marks the upload as compared. Then no comparison needs the former one. */
const upload: typeof fixture.upload = async (...given) => {
  const accepted = await fixture.upload(...given);
  await database.query('UPDATE sitemaps SET compared_upload_id = upload_id');
  return accepted;
};
const account = await addAccount(database);
const replacedBytes = { business: 1e9 };
const options = { database, storage, log: collectLog(), keepReplacedMs: DAY_MS, replacedBytes };

beforeEach(async () => {
  await database.query('DELETE FROM garbage');
});

const putAll = (keys: readonly string[]) =>
  Promise.all(keys.map((key) => storage.put(key, [Buffer.from('x')])));

test('due objects are deleted, and others stay', async () => {
  await putAll([
    'uploads/due/1.xml.gz',
    'uploads/due/listing.json',
    'uploads/later/1.xml.gz',
    'uploads/duet/1.xml.gz',
  ]);
  await addGarbage(database, ['uploads/due/'], 0);
  await addGarbage(database, ['uploads/later/'], DAY_MS);
  await collectGarbage(options);
  expect(await fixture.keys('uploads/')).toEqual(['uploads/duet/1.xml.gz', 'uploads/later/1.xml.gz']);
  expect(await fixture.garbage()).toEqual(['uploads/later/']);
});

test('the live index of a site stays, and its other indexes are deleted', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  for (const urls of [1, 2]) {
    const { uploadId } = await upload(account, { domain: hostname, urls: plainEntries(urls), force: true });
    await addManyFiles(database, uploadId);
    await database.query("UPDATE domains SET generation = nextval('site_generations') WHERE hostname = $1", [
      hostname,
    ]);
    await fixture.writeSite(hostname);
  }
  const before = await fixture.keys(siteIndexesPrefix(hostname));
  expect(before.length).toBeGreaterThan(1);
  await database.query('UPDATE garbage SET collect_after = now()');

  await collectGarbage(options);
  expect(await fixture.keys(siteIndexesPrefix(hostname))).toEqual(before);
  expect(await fixture.garbage()).toContain(siteIndexesPrefix(hostname));

  await database.query('UPDATE garbage SET collect_after = now()');
  await collectGarbage({ ...options, keepReplacedMs: -DAY_MS });
  const { generation } = (await readSite(storage, hostname))!;
  expect(await fixture.keys(siteIndexesPrefix(hostname))).toEqual([siteIndexKey(hostname, generation)]);
  expect(await fixture.garbage()).not.toContain(siteIndexesPrefix(hostname));
});

test('no index of a removed site stays', async () => {
  await putAll(['sites/gone.example/index-1.xml.gz', 'sites/gone.example/index-2.xml.gz']);
  await addGarbage(database, [siteIndexesPrefix('gone.example')], 0);
  await collectGarbage({ ...options, keepReplacedMs: -DAY_MS });
  expect(await fixture.keys('sites/gone.example/')).toEqual([]);
});

test('more objects than one request deletes are all deleted', async () => {
  await putAll(Array.from({ length: 1005 }, (_, n) => `uploads/many/${n}.xml.gz`));
  await addGarbage(database, ['uploads/many/'], 0);
  const deleted: number[] = [];
  await collectGarbage({ ...options, report: (objects) => deleted.push(objects) });
  expect(deleted).toEqual([1000, 5]);
  expect(await fixture.keys('uploads/many/')).toEqual([]);
});

test('a replaced upload is deleted with its rows, and the live one stays', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const former = await upload(account, { domain: hostname, urls: plainEntries(1) });
  const live = await upload(account, { domain: hostname, urls: plainEntries(2) });
  await putAll([former, live].map(({ uploadId }) => `${uploadPrefix(uploadId)}1.xml.gz`));
  await database.query('UPDATE uploads SET objects = NULL');
  await database.query("UPDATE garbage SET collect_after = now() - interval '1 second'");
  await collectGarbage(options);
  const ids = [former.uploadId, live.uploadId];
  const { rows } = await database.query('SELECT id FROM uploads WHERE id = ANY($1)', [ids]);
  expect(rows).toEqual([{ id: live.uploadId }]);
  expect(await fixture.keys(uploadPrefix(former.uploadId))).toEqual([]);
  expect((await fixture.keys(uploadPrefix(live.uploadId))).length).toBeGreaterThan(0);
});

test('what a site may still show stays while the write of the site is late, for a day at most', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const former = await upload(account, { domain: hostname, urls: plainEntries(1) });
  await upload(account, { domain: hostname, urls: plainEntries(2) });
  await putAll([`${uploadPrefix(former.uploadId)}listing.json`, `${uploadPrefix(former.uploadId)}7.xml.gz`]);
  await database.query('UPDATE uploads SET objects = NULL');
  await addGarbage(database, [`${uploadPrefix(former.uploadId)}7.`], 0);
  const collectWith = async (lateFor: string, dueFor: string) => {
    await database.query('DELETE FROM site_changes');
    await database.query(
      `INSERT INTO site_changes (hostname, generation, changed_at, due_at)
       VALUES ($1, nextval('site_generations'), now() - $2::interval, now())`,
      [hostname, lateFor],
    );
    await database.query('UPDATE garbage SET collect_after = now() - $1::interval', [dueFor]);
    await collectGarbage(options);
    return (await fixture.keys(uploadPrefix(former.uploadId))).length;
  };
  expect(await collectWith('2 minutes', '1 second')).toBe(2);
  expect(await collectWith('2 minutes', '23 hours')).toBe(2);
  expect(await collectWith('2 minutes', '25 hours')).toBe(0);
  await database.query('DELETE FROM site_changes');
});

test('a site that was changed just now holds nothing up', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const former = await upload(account, { domain: hostname, urls: plainEntries(1) });
  await upload(account, { domain: hostname, urls: plainEntries(2) });
  await database.query(
    `INSERT INTO site_changes (hostname, generation, due_at) VALUES ($1, nextval('site_generations'), now())`,
    [hostname],
  );
  await database.query("UPDATE garbage SET collect_after = now() - interval '1 second'");
  await collectGarbage(options);
  const { rowCount } = await database.query('SELECT FROM uploads WHERE id = $1', [former.uploadId]);
  expect(rowCount).toBe(0);
  await database.query('DELETE FROM site_changes');
});

test('the store is not asked for the objects of small uploads, and the list of their changes is deleted', async () => {
  const { hostname, id } = await addVerifiedDomain(database, account);
  const former = await upload(account, { domain: hostname, urls: plainEntries(1) });
  await upload(account, { domain: hostname, urls: plainEntries(2) });
  await database.query('UPDATE uploads SET objects = 2 WHERE id = $1', [former.uploadId]);
  await putAll([1, 2].map((n) => changesKey(former.uploadId, n)));
  await database.query("UPDATE garbage SET collect_after = now() - interval '1 second'");
  const listed: string[] = [];
  const list = (prefix: string) => {
    listed.push(prefix);
    return storage.list(prefix);
  };
  const { get, deleteMany } = storage;
  const counted = {
    get: get.bind(storage),
    deleteMany: deleteMany.bind(storage),
    list,
  };
  await collectGarbage({ ...options, storage: counted });
  expect(listed.filter((prefix) => prefix.startsWith('uploads/'))).toEqual([]);
  expect(await fixture.keys(uploadPrefix(former.uploadId))).toEqual([]);
  const { rows } = await database.query('SELECT count(*) AS count FROM uploads WHERE domain_id = $1', [id]);
  expect(rows).toEqual([{ count: 1 }]);
});

test('a step that fails stops no other, and its error is told', async () => {
  await putAll(['uploads/due/1.xml.gz']);
  await addGarbage(database, ['uploads/due/', siteIndexesPrefix('gone.example')], 0);
  const get = () => Promise.reject(new Error('the store is down'));
  const failing = { list: storage.list.bind(storage), deleteMany: storage.deleteMany.bind(storage), get };
  await addGarbage(database, ['uploads/counted/'], DAY_MS);
  await database.query(`UPDATE garbage SET account_id = $1, bytes = 7 WHERE prefix = 'uploads/counted/'`, [
    account,
  ]);
  await expect(collectGarbage({ ...options, storage: failing })).rejects.toThrow('the store is down');
  expect(await fixture.keys('uploads/due/')).toEqual([]);
  const { rows } = await database.query('SELECT count(*) AS count FROM kept_bytes_changes');
  expect(rows).toEqual([{ count: 0 }]);
});

test('the bytes of an account are the sum of its garbage, whatever changes that', async () => {
  const sums = async () => {
    await sumKeptBytes(database);
    const { rows } = await database.query(`
      SELECT * FROM kept_bytes EXCEPT
      SELECT account_id, sum(bytes) FROM garbage WHERE account_id IS NOT NULL GROUP BY 1`);
    return rows;
  };
  const insert = (prefix: string, of: string | null, bytes: number) =>
    database.query(
      'INSERT INTO garbage (prefix, collect_after, account_id, bytes) VALUES ($1, now(), $2, $3)',
      [prefix, of, bytes],
    );
  await insert('uploads/s1/', account, 10);
  await insert('uploads/s2/', 'other', 20);
  await insert('uploads/s3/', null, 5);
  expect(await sums()).toEqual([]);
  await database.query(
    `UPDATE garbage SET account_id = 'other', bytes = bytes + 1 WHERE prefix IN ('uploads/s1/', 'uploads/s3/')`,
  );
  await database.query(`DELETE FROM garbage WHERE prefix = 'uploads/s2/'`);
  expect(await sums()).toEqual([]);
  const { rows } = await database.query(`SELECT bytes FROM kept_bytes WHERE account_id = 'other'`);
  expect(rows).toEqual([{ bytes: 17 }]);
  await database.query('DELETE FROM garbage');
  await sumKeptBytes(database);
  expect((await database.query('SELECT FROM kept_bytes')).rowCount).toBe(0);
});

describe('replaced uploads beyond the allowance of the plan', () => {
  const publish = async (hostname: string, urls: number) =>
    (
      await upload(account, {
        domain: hostname,
        sizeLimit: 'gsc-optimized',
        force: true,
        urls: plainEntries(urls),
      })
    ).uploadId;
  const gzipBytesOf = async (uploadId: string): Promise<number> =>
    (await database.query('SELECT gzip_bytes AS bytes FROM uploads WHERE id = $1', [uploadId])).rows[0].bytes;
  const soon = () =>
    database.query("UPDATE garbage SET collect_after = collect_after - interval '6 minutes'");
  const writeSites = async (hostname: string) =>
    void (await writeSite({ ...options, publicOrigin: 'https://{hostname}' }, hostname));
  const formerOf = async (hostname: string) =>
    (await readSite(storage, hostname))!.sitemaps.flatMap(({ former }) =>
      former.map(({ uploadId }) => uploadId),
    );

  test('are collected early, oldest first, once no site names them', async () => {
    const { hostname } = await addVerifiedDomain(database, account);
    const [first, second, third] = [
      await publish(hostname, 4001),
      await publish(hostname, 3001),
      await publish(hostname, 2001),
    ];
    await publish(hostname, 1);
    expect(await formerOf(hostname)).toEqual([third, second, first]);
    const bytes = (await gzipBytesOf(second)) + (await gzipBytesOf(third));

    await collectGarbage({ ...options, replacedBytes: { business: bytes } });
    // Still there for readers of the current site.json. The next one does not name it.
    expect(await fixture.keys(uploadPrefix(first))).not.toEqual([]);
    await writeSites(hostname);
    expect(await formerOf(hostname)).toEqual([third, second]);
    await soon();
    await collectGarbage({ ...options, replacedBytes: { business: bytes } });
    expect(await fixture.keys(uploadPrefix(first))).toEqual([]);
    for (const kept of [second, third]) expect(await fixture.keys(uploadPrefix(kept))).not.toEqual([]);
  });

  test('count also when their domain is deleted', async () => {
    const doomed = await addVerifiedDomain(database, account);
    const gone = [await publish(doomed.hostname, 10), await publish(doomed.hostname, 10)];
    await deleteDomain(
      {
        openChange: () => openChange({ database, writeSite: writeSites }),
        discardUploads: (transaction, id) => endGenerations(transaction, { domainId: id }, DAY_MS),
        onUnserved: async () => {},
      },
      doomed,
    );
    await collectGarbage({ ...options, replacedBytes: { business: 1 } });
    await soon();
    await collectGarbage({ ...options, replacedBytes: { business: 1 } });
    for (const uploadId of gone) expect(await fixture.keys(uploadPrefix(uploadId))).toEqual([]);
  });

  test('are counted per account, by its own plan', async () => {
    const other = await addAccount(database, 'free');
    const theirs = await addVerifiedDomain(database, other);
    await upload(other, { domain: theirs.hostname, urls: plainEntries(10) });
    await upload(other, { domain: theirs.hostname, urls: plainEntries(10) });
    const { hostname } = await addVerifiedDomain(database, account);
    const mine = await publish(hostname, 10);
    await publish(hostname, 10);
    const collect = () => collectGarbage({ ...options, replacedBytes: { business: 1e9, free: 1 } });
    await collect();
    await soon();
    await collect();
    const prefixes = await fixture.garbage();
    expect(prefixes.filter((prefix) => prefix.startsWith('uploads/'))).toEqual([uploadPrefix(mine)]);
  });
});

test('a live upload is not deleted, even if it is listed', async () => {
  const { hostname } = await addVerifiedDomain(database, account);
  const { uploadId } = await upload(account, { domain: hostname, urls: plainEntries(1) });
  const keys = [`${uploadPrefix(uploadId)}1.xml.gz`];
  await putAll(keys);
  await addGarbage(database, [uploadPrefix(uploadId)], 0);
  await expect(collectGarbage(options)).rejects.toThrow();
  expect(await fixture.keys(uploadPrefix(uploadId))).toEqual(keys);
});

test('a failing store leaves the prefix listed for another time', async () => {
  await putAll(['uploads/kept/1.xml.gz']);
  await addGarbage(database, ['uploads/kept/'], 0);
  const failing = {
    get: storage.get.bind(storage),
    list: storage.list.bind(storage),
    deleteMany: () => Promise.reject(new Error('no')),
  };
  await expect(collectGarbage({ ...options, storage: failing })).rejects.toThrow('no');
  expect(await fixture.garbage()).toEqual(['uploads/kept/']);
  await collectGarbage(options);
  expect(await fixture.keys('uploads/kept/')).toEqual([]);
});

test('what the store does not delete keeps nothing else, and its error is told', async () => {
  const prefixes = ['uploads/before/', 'uploads/stuck/', 'uploads/behind/'];
  await putAll(prefixes.map((prefix) => `${prefix}1.xml.gz`));
  for (const hostname of ['stuck.example', 'behind.example']) {
    const prefix = siteIndexesPrefix(hostname);
    await putAll([`${prefix}1.xml.gz`]);
    prefixes.push(prefix);
  }
  for (const prefix of prefixes) await addGarbage(database, [prefix], 0);
  const failing = {
    get: storage.get.bind(storage),
    list: storage.list.bind(storage),
    deleteMany: async (keys: readonly string[]) => {
      if (keys.some((key) => key.includes('stuck'))) throw new Error('no');
      await storage.deleteMany(keys);
    },
  };
  await expect(collectGarbage({ ...options, storage: failing, keepReplacedMs: 0 })).rejects.toThrow('no');
  expect(await fixture.garbage()).toEqual([siteIndexesPrefix('stuck.example'), 'uploads/stuck/']);
});

test('concurrent collectors share the work, and each prefix is collected once', async () => {
  const prefixes = Array.from({ length: 20 }, (_, n) => `uploads/shared${n}/`);
  await putAll(prefixes.map((prefix) => `${prefix}1.xml.gz`));
  await addGarbage(database, prefixes, 0);
  const listed: string[] = [];
  const list = (prefix: string) => {
    listed.push(prefix);
    return storage.list(prefix);
  };
  const counting = { get: storage.get.bind(storage), list, deleteMany: storage.deleteMany.bind(storage) };
  await Promise.all(Array.from({ length: 4 }, () => collectGarbage({ ...options, storage: counting })));
  expect(listed.sort()).toEqual(prefixes.sort());
  expect(await fixture.keys('uploads/shared')).toEqual([]);
});

test('an upload under collection can no longer be published', async () => {
  await addGarbage(database, ['uploads/raced/'], 0);
  const collecting = await database.connect();
  await collecting.query('BEGIN');
  expect(await takeDueGarbage(collecting, ['uploads/raced/'], 10)).toEqual([
    { prefix: 'uploads/raced/', files: null, objects: null },
  ]);
  const rescue = inTransaction(database, (transaction) => rescueFromGarbage(transaction, 'uploads/raced/'));
  await collecting.query("DELETE FROM garbage WHERE prefix = 'uploads/raced/'");
  await collecting.query('COMMIT');
  collecting.release();
  expect(await rescue).toBe(false);
});

test('a prefix that is listed again keeps its time', async () => {
  await addGarbage(database, ['uploads/twice/'], 0);
  await addGarbage(database, ['uploads/twice/'], DAY_MS);
  await collectGarbage(options);
  expect(await fixture.garbage()).toEqual([]);
});

test('many small uploads are collected in portions, and one of many files alone', async () => {
  const count = 150;
  const domains = await Promise.all(
    Array.from({ length: count }, () => addVerifiedDomain(database, account)),
  );
  await database.query(
    `INSERT INTO uploads (id, domain_id, sitemap_name, seq, url_count, file_count, bytes, gzip_bytes, published_at, replaced_at)
     SELECT 'upload_of_' || id, id, '', 1, 1, CASE WHEN id = $2 THEN 30000 ELSE 1 END, 1, 1, now(), now()
       FROM domains WHERE id = ANY($1)`,
    [domains.map(({ id }) => id), domains[10]!.id],
  );
  const ids = domains.map(({ id }) => `upload_of_${id}`);
  await database.query("INSERT INTO small_files SELECT unnest($1::text[]), 1, 'x'", [ids]);
  await addGarbage(database, ids.map(uploadPrefix), -1000);
  await putAll([listingKey(ids[0]!)]);
  const log = collectLog();
  const listed: string[] = [];
  const list = (prefix: string) => {
    listed.push(prefix);
    return storage.list(prefix);
  };
  const counting = { get: storage.get.bind(storage), list, deleteMany: storage.deleteMany.bind(storage) };
  await collectGarbage({ ...options, storage: counting, log });
  expect(listed.toSorted()).toEqual(ids.map(uploadPrefix).sort());
  expect(await fixture.keys('uploads/upload_of_')).toEqual([]);
  for (const table of ['uploads WHERE id', 'small_files WHERE upload_id']) {
    const { rowCount } = await database.query(`SELECT FROM ${table} LIKE 'upload\\_of\\_%'`);
    expect(rowCount).toBe(0);
  }
  expect(await fixture.garbage()).toEqual([]);
});
