/** The bytes that an account keeps besides its live files (`features/sites/evict-excess.ts`). */
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openChange } from '../../src/features/sites/change-site.ts';
import { evictUploads } from '../../src/features/sites/garbage-store.ts';
import { trimGenerations } from '../../src/features/sites/shared-file-store.ts';
import { uploadPrefix } from '../../src/features/sites/site.ts';
import { deleteSitemap } from '../../src/features/uploads/delete-sitemap.ts';
import { inTransaction, openTransaction } from '../../src/platform/postgres/database.ts';
import { bulkyEntries, plainEntries } from './batches.ts';
import { createStableWorld } from './stable-world.ts';
import { DAY_MS } from './upload-fixture.ts';

const world = await createStableWorld();
const { fixture, account } = world;
const { database, writeSite } = fixture;

/** Long entries, so that files of 1,000 are objects. */
const ALL = bulkyEntries(4500);
const without = (n: number) => ALL.filter((_, i) => i !== n);

const send = (urls: readonly object[]) =>
  fixture.upload(account, {
    ...{ domain: world.domain.hostname, sizeLimit: 'gsc-optimized', force: true, urls },
  });

/** Returns the counted bytes of the domain. Expects that exactly the files count that are not live. */
async function expectCounted(): Promise<number> {
  const { rows } = await database.query<{ counted: number; kept: number }>(
    `SELECT (SELECT coalesce(sum(g.bytes), 0)::bigint
               FROM uploads u JOIN garbage g ON g.prefix = 'uploads/' || u.id || '/' WHERE u.domain_id = $1) AS counted,
            (SELECT coalesce(sum(f.gzip_bytes), 0)::bigint
               FROM sitemap_files f JOIN uploads u ON u.id = f.upload_id AND u.seq = f.from_seq
              WHERE f.domain_id = $1
                AND (f.to_seq IS NOT NULL OR NOT EXISTS (SELECT FROM sitemaps s WHERE s.domain_id = $1))) AS kept`,
    [world.domain.id],
  );
  const { counted, kept } = rows[0]!;
  expect(counted).toBe(kept);
  return counted;
}

const remove = () =>
  deleteSitemap(
    { openChange: () => openChange({ database, writeSite }), keepReplacedMs: DAY_MS },
    world.domain,
    '',
  );

test('files of several generations count once they are not live, also after a small upload', async () => {
  await send(ALL);
  await send(without(1500));
  const ofOneFile = await expectCounted();
  await send(plainEntries(3));
  expect(await expectCounted()).toBeGreaterThan(3 * ofOneFile);
});

test('a generation that a collector counts at the wrong moment is kept for one more upload, not for ninety', async () => {
  const { uploadId } = await send(plainEntries(1));
  const isKept = async () =>
    (
      await database.query(`SELECT collect_after = 'infinity' AS kept FROM garbage WHERE prefix = $1`, [
        uploadPrefix(uploadId),
      ])
    ).rows[0].kept;
  for (let n = 2; n <= 10; n++) await send(plainEntries(n));
  const counting = await openTransaction(database);
  await counting.transaction.query('SELECT FROM garbage WHERE prefix = $1 FOR UPDATE', [
    uploadPrefix(uploadId),
  ]);
  await send(plainEntries(11));
  await counting.commit();
  expect(await isKept()).toBe(true);
  await send(plainEntries(12));
  expect(await isKept()).toBe(false);
});

test('files of an evicted upload count once they are not live', async () => {
  const { uploadId } = await send(ALL);
  await send(without(1500));
  await inTransaction(database, (transaction) =>
    evictUploads(transaction, [uploadPrefix(uploadId)], 5 * 60_000),
  );
  await send(without(2500));
  await expectCounted();
});

test('all files of a deleted sitemap count, and only once', async () => {
  await send(ALL);
  await send(without(1500));
  const ofOneFile = await expectCounted();
  await remove();
  expect(await expectCounted()).toBeGreaterThan(3 * ofOneFile);
  await send(ALL);
  await expectCounted();
});

test('a kept generation of a deleted sitemap ends, also while a collector counts its bytes', async () => {
  const { uploadId } = await send(ALL);
  await send(without(1500));
  await using collector = await openTransaction(database);
  await collector.transaction.query('SELECT FROM garbage WHERE prefix = $1 FOR UPDATE', [
    uploadPrefix(uploadId),
  ]);
  const removed = remove();
  await setTimeout(300);
  await collector.commit();
  await removed;
  const { rows } = await database.query(
    `SELECT collect_after < now() + interval '2 days' AS ends FROM garbage WHERE prefix = $1`,
    [uploadPrefix(uploadId)],
  );
  expect(rows).toEqual([{ ends: true }]);
  await expectCounted();
});

test('a generation is trimmed beside a publication that has counted files of an earlier one', async () => {
  const first = await send(ALL);
  const second = await send(without(1500));
  await send(without(2500));
  const prefix = uploadPrefix(first.uploadId);
  await database.query('UPDATE garbage SET ended_at = now() WHERE prefix = ANY($1)', [
    [prefix, uploadPrefix(second.uploadId)],
  ]);
  await using publication = await openTransaction(database);
  await publication.transaction.query('UPDATE garbage SET bytes = bytes + 1000 WHERE prefix = $1', [prefix]);
  const trim = () => inTransaction(database, (transaction) => trimGenerations(transaction, 100, 1000));
  // The trimmed generation is the last one that has a file of the first upload. The publication may wait for this generation.
  expect(await trim()).toBe(1);
  await publication.commit();
  expect(await trim()).toBe(1);
  await expectCounted();
});
