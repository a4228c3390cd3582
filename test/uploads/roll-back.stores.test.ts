import { beforeEach, describe, expect, test } from 'vitest';
import { examine } from '../../src/features/doctor/examine.ts';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { takeDueGarbage } from '../../src/features/sites/due-garbage-store.ts';
import { forgetGarbage } from '../../src/features/sites/garbage-store.ts';
import { readSite } from '../../src/features/sites/read-site.ts';
import { createReadUploadFile } from '../../src/features/sites/read-upload-file.ts';
import { listingKey, listingSchema, uploadPrefix } from '../../src/features/sites/site.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { listGenerations } from '../../src/features/uploads/list-generations.ts';
import { rollBack } from '../../src/features/uploads/publishing/roll-back.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { readObject } from '../../src/platform/storage/object-storage.ts';
import { addAccount, addServedDomain } from '../support/accounts.ts';
import { collect } from '../support/collect.ts';
import { bulkyEntries, plainEntries } from './batches.ts';
import { createUploadFixture } from './upload-fixture.ts';

const fixture = await createUploadFixture();
const { collecting, database, storage } = fixture;
const account = await addAccount(database);
const uploader = await fixture.uploaderOf(account);

beforeEach(async () => {
  await database.query('DELETE FROM garbage');
});

type Domain = { readonly id: string; readonly hostname: string };

/** The first and the third file are small, and the second one is an object. */
const entries = (count: number) => {
  const bulky = bulkyEntries(count);
  return plainEntries(count).map((entry, i) => (i >= 1000 && i < 2000 ? bulky[i]! : entry));
};
const publish = async ({ hostname }: Domain, urls: number, more: object = {}) => {
  // The guard does not matter here.
  const members = { domain: hostname, sizeLimit: 'gsc-optimized', force: true };
  const body = { ...members, urls: entries(urls), ...more };
  const accepted = await fixture.upload(account, body);
  // No comparison needs the former upload.
  await database.query('UPDATE sitemaps SET compared_upload_id = upload_id');
  return accepted;
};
const back = async (domain: Domain, generation: number, ifGeneration?: number, changed: object = {}) => {
  const options = { ...fixture.options, ...changed };
  const published = await rollBack(options, uploader, domain, '', generation, { ifGeneration });
  await database.query('UPDATE sitemaps SET compared_upload_id = upload_id');
  return published;
};
const generationsOf = ({ id }: Domain, limit = 100, before?: number) =>
  listGenerations(database, { domainId: id, sitemapName: '' }, limit, before);
const seqsBack = async (domain: Domain) =>
  (await generationsOf(domain)).filter(({ canRollBack }) => canRollBack).map(({ seq }) => seq);
const liveOf = async ({ hostname }: Domain) => (await readSite(storage, hostname))!.sitemaps[0]!;
async function liveListing(domain: Domain) {
  const { uploadId, listing } = await liveOf(domain);
  return (
    listing ?? listingSchema.parse(JSON.parse((await readObject(storage, listingKey(uploadId)))!.toString()))
  );
}
/** The files that the live listing names, with the upload that they are of. */
async function liveFiles(domain: Domain): Promise<[uploadId: string, n: number][]> {
  const { uploadId } = await liveOf(domain);
  const { files } = await liveListing(domain);
  return files.map((file, i) => [file.uploadId ?? uploadId, file.n ?? i + 1]);
}
const areThere = async (files: readonly [uploadId: string, n: number][]) => {
  for (const [uploadId, n] of files) {
    expect(await createReadUploadFile(fixture, [uploadId])(uploadId, n), `${uploadId} ${n}`).toBeDefined();
  }
};
const fileKeys = async () => (await fixture.keys('uploads/')).filter((key) => FILE_KEY.test(key));
const FILE_KEY = /\/\d+\.xml\.gz$/;
const passTime = () => database.query("UPDATE garbage SET collect_after = now() - interval '1 second'");

test('a former generation is live again, with its own files and no new ones', async () => {
  const domain = await addServedDomain(database, account);
  fixture.clock.now = new Date('2026-03-01T00:00:00Z');
  const first = await publish(domain, 2500);
  fixture.clock.now = new Date('2026-03-02T00:00:00Z');
  await publish(domain, 1000);
  const objects = await fileKeys();
  fixture.clock.now = new Date('2026-03-03T00:00:00Z');
  const rolledBack = await back(domain, 1, 2);
  expect(rolledBack).toMatchObject({ generation: 3, urlCount: 2500, fileCount: 3, isServed: true });

  expect(await liveOf(domain)).toMatchObject({ uploadId: rolledBack.uploadId, files: 3 });
  expect(await liveFiles(domain)).toEqual([1, 2, 3].map((n) => [first.uploadId, n]));
  expect(await fileKeys()).toEqual(objects);
  expect(await collect(examine({ database, storage }, domain.hostname))).toEqual([]);
});

test('files that differ from the live ones have the time of the rollback, the others keep theirs', async () => {
  const domain = await addServedDomain(database, account);
  fixture.clock.now = new Date('2026-03-01T00:00:00Z');
  await publish(domain, 2500);
  fixture.clock.now = new Date('2026-03-02T00:00:00Z');
  const urls = plainEntries(2500).map((entry, i) =>
    i === 1500 ? { loc: 'https://example.com/new' } : entry,
  );
  await publish(domain, 2500, { urls });
  fixture.clock.now = new Date('2026-03-03T00:00:00Z');
  await back(domain, 1);
  const { files, index } = await liveListing(domain);
  expect(files.map(({ lastModified }) => lastModified)).toEqual([
    '2026-03-01T00:00:00Z',
    '2026-03-03T00:00:00Z',
    '2026-03-01T00:00:00Z',
  ]);
  expect(index!.lastModified).toBe('2026-03-03T00:00:00Z');
  expect((await readSite(storage, domain.hostname))!.index!.lastModified).toBe('2026-03-03T00:00:00Z');
});

test('a rollback can be rolled back to, and away from', async () => {
  const domain = await addServedDomain(database, account);
  const first = await publish(domain, 1);
  const second = await publish(domain, 2);
  await back(domain, 1);
  await back(domain, 2);
  expect(await liveFiles(domain)).toEqual([[second.uploadId, 1]]);
  await back(domain, 3);
  expect(await liveFiles(domain)).toEqual([[first.uploadId, 1]]);
  expect(await generationsOf(domain)).toMatchObject([
    { seq: 5, kind: 'rollback', restores: 3, isLive: true, canRollBack: false, urlCount: 1 },
    { seq: 4, kind: 'rollback', restores: 2, isLive: false, canRollBack: true, urlCount: 2 },
    { seq: 3, kind: 'rollback', restores: 1, isLive: false, canRollBack: true, urlCount: 1 },
    { seq: 2, kind: 'upload', restores: null, uploadId: second.uploadId, canRollBack: true },
    { seq: 1, kind: 'upload', restores: null, uploadId: first.uploadId, canRollBack: true },
  ]);
  expect((await generationsOf(domain, 2, 4)).map(({ seq }) => seq)).toEqual([3, 2]);
});

test('refused: the live one, one that never was, one that is gone, and another generation than the client knows', async () => {
  const domain = await addServedDomain(database, account);
  await expect(back(domain, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const first = await publish(domain, 1);
  await publish(domain, 2);
  await expect(back(domain, 2)).rejects.toMatchObject({ code: 'CONFLICT', message: /live already/ });
  await expect(back(domain, 3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(back(domain, 1, 1)).rejects.toMatchObject({
    code: 'CONFLICT',
    options: { details: { field: 'ifGeneration', value: 1, generation: 2 } },
  });
  await passTime();
  await expect(back(domain, 1)).rejects.toMatchObject({ code: 'CONFLICT', message: /no longer kept/ });
  await collectGarbage(collecting);
  expect(await fixture.keys(uploadPrefix(first.uploadId))).toEqual([]);
  await expect(back(domain, 1)).rejects.toMatchObject({ code: 'CONFLICT', message: /no longer kept/ });
  expect((await generationsOf(domain)).map(({ seq }) => seq)).toEqual([2]);
});

test('an upload with ifGeneration replaces only that generation; 0 is for a new sitemap', async () => {
  const domain = await addServedDomain(database, account);
  await expect(publish(domain, 1, { ifGeneration: 1 })).rejects.toMatchObject({
    code: 'CONFLICT',
    options: { details: { value: 1, generation: 0 } },
  });
  expect((await publish(domain, 1, { ifGeneration: 0 })).generation).toBe(1);
  await expect(publish(domain, 1, { ifGeneration: 0 })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await publish(domain, 1, { ifGeneration: 1 })).generation).toBe(2);
});

test('the bytes of the former generation count for the plan', async () => {
  const domain = await addServedDomain(database, account);
  await publish(domain, 2500);
  await publish(domain, 1);
  const small = await fixture.uploaderOf(account, { storedBytes: 1000 });
  const attempt = rollBack(fixture.options, small, domain, '', 1, { ifGeneration: undefined });
  await expect(attempt).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('numbers go on after a deletion, and generations from before it are gone', async () => {
  const domain = await addServedDomain(database, account);
  await publish(domain, 1);
  await publish(domain, 2);
  await deleteSitemap(fixture.options, domain, '');
  await expect(back(domain, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await publish(domain, 3)).generation).toBe(3);
  await expect(back(domain, 1)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await seqsBack(domain)).toEqual([]);
});

describe('kept', () => {
  test('are the last ten generations however old; the one before them stays a day after it was replaced', async () => {
    const domain = await addServedDomain(database, account);
    for (let n = 1; n <= 12; n++) await publish(domain, n);
    expect(await seqsBack(domain)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    await database.query("UPDATE garbage SET collect_after = collect_after - interval '25 hours'");
    await collectGarbage(collecting);
    expect(await seqsBack(domain)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3]);
    expect((await generationsOf(domain)).map(({ seq }) => seq).at(-1)).toBe(3);
    await back(domain, 3);
    expect((await liveOf(domain)).files).toBe(1);
  });

  test('are at most a hundred, and sites name no more', async () => {
    const domain = await addServedDomain(database, account);
    await publish(domain, 1001);
    const first = await liveOf(domain);
    await publish(domain, 1);
    expect((await liveOf(domain)).former.map(({ uploadId }) => uploadId)).toEqual([first.uploadId]);
    // These numbers are as after 98 more uploads.
    await database.query('UPDATE uploads SET seq = 99 WHERE domain_id = $1 AND seq = 2', [domain.id]);
    await database.query('UPDATE sitemap_files SET from_seq = 99 WHERE domain_id = $1 AND from_seq = 2', [
      domain.id,
    ]);
    await publish(domain, 2);
    expect((await liveOf(domain)).former.map(({ uploadId }) => uploadId)).toEqual([first.uploadId]);
    await publish(domain, 3);
    expect((await liveOf(domain)).former).toEqual([]);
    const { rows } = await database.query(
      "SELECT collect_after <= now() + interval '6 minutes' AS soon FROM garbage WHERE prefix = $1",
      [uploadPrefix(first.uploadId)],
    );
    expect(rows).toEqual([{ soon: true }]);
  });

  test('are fewer when the account has no room, the oldest first', async () => {
    const domain = await addServedDomain(database, account);
    for (let n = 1; n <= 3; n++) await publish(domain, 1000);
    const { rows } = await database.query('SELECT bytes FROM garbage WHERE account_id IS NOT NULL LIMIT 1');
    await collectGarbage({ ...collecting, replacedBytes: { business: rows[0].bytes } });
    expect(await seqsBack(domain)).toEqual([2]);
    await expect(back(domain, 1)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('no object of a kept or live generation is deleted', () => {
  test('if the upload that it is from has ended, but a rollback to it is live', async () => {
    const domain = await addServedDomain(database, account);
    const first = await publish(domain, 1500);
    await publish(domain, 1);
    await back(domain, 1);
    await passTime();
    await collectGarbage(collecting);
    expect(await liveFiles(domain)).toEqual([1, 2].map((n) => [first.uploadId, n]));
    await areThere(await liveFiles(domain));
    expect((await generationsOf(domain)).map(({ seq }) => seq)).toEqual([3, 1]);
    // Once the rollback has ended too, both are collected.
    await publish(domain, 5);
    await passTime();
    await collectGarbage(collecting);
    expect(await fixture.keys(uploadPrefix(first.uploadId))).toEqual([]);
    expect(await fixture.garbage()).not.toContain(uploadPrefix(first.uploadId));
    expect((await generationsOf(domain)).map(({ seq }) => seq)).toEqual([4]);
  });

  test('by a collector that comes before the rollback: the rollback is refused without a wait', async () => {
    const domain = await addServedDomain(database, account);
    const first = await publish(domain, 1);
    await publish(domain, 2);
    await inTransaction(database, async (collector) => {
      await database.query(
        `UPDATE garbage SET collect_after = now() - interval '1 hour' WHERE prefix LIKE 'uploads/%'`,
      );
      const prefix = uploadPrefix(first.uploadId);
      expect(await takeDueGarbage(collector, [prefix], 1)).toEqual([{ prefix, files: 1, objects: 0 }]);
      await forgetGarbage(collector, [prefix]);
      await expect(back(domain, 1)).rejects.toMatchObject({ code: 'CONFLICT' });
    });
    expect((await liveOf(domain)).files).toBe(1);
    expect((await generationsOf(domain)).map(({ seq }) => seq)).toEqual([2]);
  });

  test('by a collector that finds it due while the rollback is under way, nor by one that comes later', async () => {
    const domain = await addServedDomain(database, account);
    const first = await publish(domain, 1);
    await publish(domain, 2);
    await database.query('UPDATE domains SET has_warnings = true WHERE id = $1', [domain.id]);
    const keys = await fixture.keys(uploadPrefix(first.uploadId));
    let looks = 0;
    const takeWarnings = async () => {
      await database.query(
        "UPDATE garbage SET collect_after = now() - interval '1 second' WHERE prefix <> $1",
        [uploadPrefix(first.uploadId)],
      );
      await collectGarbage(collecting);
      looks++;
      return [];
    };
    await back(domain, 1, 2, { takeWarnings });
    expect(looks).toBe(1);
    await passTime();
    await collectGarbage(collecting);
    expect(await fixture.keys(uploadPrefix(first.uploadId))).toEqual(keys);
    await areThere(await liveFiles(domain));
  });

  test('even if somebody asks Postgres to forget its upload', async () => {
    const domain = await addServedDomain(database, account);
    const first = await publish(domain, 1);
    await publish(domain, 2);
    await back(domain, 1);
    const forget = inTransaction(database, (transaction) =>
      forgetGarbage(transaction, [uploadPrefix(first.uploadId)]),
    );
    await expect(forget).rejects.toThrow(/sitemap_files/);
  });

  test('while rollbacks and collectors race', async () => {
    const domain = await addServedDomain(database, account);
    for (let n = 1; n <= 4; n++) await publish(domain, n);
    for (let round = 0; round < 12; round++) {
      await publish(domain, 10 + round);
      const seqs = await seqsBack(domain);
      const target = seqs[round % seqs.length]!;
      // Due the very moment the rollback asks for it.
      await database.query(
        `UPDATE garbage SET collect_after = now() + interval '5 milliseconds' WHERE prefix IN (
           SELECT 'uploads/' || id || '/' FROM uploads WHERE domain_id = $1 AND seq = $2)`,
        [domain.id, target],
      );
      await Promise.allSettled([
        back(domain, target),
        ...Array.from({ length: 4 }, () => collectGarbage(collecting)),
      ]);
      await areThere(await liveFiles(domain));
      expect(await collect(examine({ database, storage }, domain.hostname))).toEqual([]);
    }
  });
});

test('a process of the previous version can go on: it publishes, replaces and deletes', async () => {
  const domain = await addServedDomain(database, account);
  const first = await publish(domain, 1001);
  const former = newId('upload');
  await inTransaction(database, async (transaction) => {
    await transaction.query(
      `INSERT INTO uploads (id, domain_id, sitemap_name, url_count, file_count, bytes, gzip_bytes, published_at)
       VALUES ($1, $2, '', 5, 1, 50, 10, now())`,
      [former, domain.id],
    );
    await transaction.query(
      `INSERT INTO upload_files (upload_id, last_modified, n, entries, bytes, gzip_bytes, etag)
       SELECT $1, now(), f.* FROM unnest($2::integer[], $2::integer[], $2::integer[], $2::integer[], $3::text[]) AS f`,
      [former, [1], ['tag']],
    );
    await transaction.query(
      `UPDATE upload_files AS new SET last_modified = old.last_modified FROM upload_files AS old
        WHERE new.upload_id = $1 AND old.upload_id = $2 AND old.n = new.n AND old.etag = new.etag`,
      [former, first.uploadId],
    );
    await transaction.query('UPDATE uploads SET replaced_at = now() WHERE id = $1', [first.uploadId]);
    await transaction.query('UPDATE sitemaps SET upload_id = $2 WHERE domain_id = $1', [domain.id, former]);
  });
  const { rows } = await database.query(
    'SELECT f.n, f.etag FROM sitemaps s JOIN upload_files f ON f.upload_id = s.upload_id WHERE s.domain_id = $1',
    [domain.id],
  );
  expect(rows).toEqual([{ n: 1, etag: 'tag' }]);
  const { rows: live } = await database.query(
    'SELECT upload_id AS id, n, from_seq AS seq FROM sitemap_files WHERE domain_id = $1 AND to_seq IS NULL',
    [domain.id],
  );
  expect(live).toEqual([{ id: former, n: 1, seq: 2 }]);
  expect((await publish(domain, 3)).generation).toBe(3);
  await database.query('DELETE FROM sitemaps WHERE domain_id = $1', [domain.id]);
  await database.query('DELETE FROM uploads WHERE domain_id = $1', [domain.id]);
  const left = await database.query('SELECT FROM sitemap_files WHERE domain_id = $1', [domain.id]);
  expect(left.rowCount).toBe(0);
});
