import { expect, test } from 'vitest';
import { enqueueJob } from '../../../src/core/jobs/job-store.ts';
import { addGarbage } from '../../../src/features/sites/garbage-store.ts';
import { hostHash, hostsKey, shardOf } from '../../../src/features/sites/host-directory.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { checkJobs, checkRows, compareKeys, referencedKeys } from './check-kept.ts';

const { database } = await createTestDatabase();

test('a remaining job is found, whether it waits, is locked or has failed for good', async () => {
  await checkJobs(database);
  await enqueueJob(database, 'garbage.collect', {}, { key: 'left' });
  await expect(checkJobs(database)).rejects.toThrow(/jobs are left.*garbage\.collect/);
  await database.query("UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'dead'");
  await expect(checkJobs(database)).rejects.toThrow(/"lockedBy":"dead"/);
  await database.query('UPDATE graphile_worker._private_jobs SET locked_at = NULL, attempts = max_attempts');
  await expect(checkJobs(database)).rejects.toThrow(/"attempts":25,"most":25/);
  await database.query('DELETE FROM graphile_worker._private_jobs');
});

test('the referenced keys are those of live uploads and their site', async () => {
  const { id, hostname } = await addVerifiedDomain(database, await addAccount(database));
  const { hostname: bare } = await addVerifiedDomain(database, await addAccount(database));
  await database.query("INSERT INTO uploads VALUES ('u1', $1, '', 5, 2, 1, 1), ('u2', $1, '', 5, 9, 1, 1)", [
    id,
  ]);
  await database.query(
    `INSERT INTO sitemap_files (domain_id, sitemap_name, from_seq, upload_id, n, upload_n, entries, bytes, gzip_bytes, etag, last_modified)
     SELECT $1, '', 1, 'u1', n, n, 1, 1, 1, '', now() FROM generate_series(1, 2) AS n`,
    [id],
  );
  await expect(checkRows(database)).rejects.toThrow('uploads that are not live are left: u1 u2');
  await database.query("DELETE FROM uploads WHERE id = 'u2'");
  await database.query("INSERT INTO sitemaps VALUES ($1, '', 'u1')", [id]);
  await checkRows(database);
  await addGarbage(database, ['uploads/u3/'], 0);
  await expect(checkRows(database)).rejects.toThrow('garbage is left: uploads/u3/');
  await database.query("INSERT INTO small_files VALUES ('u1', 1, 'x')");
  const { rows } = await database.query('SELECT generation FROM domains WHERE id = $1', [id]);
  expect(await referencedKeys(database)).toEqual(
    [
      ...[bare, hostname].map((host) => hostsKey(shardOf(hostHash(host)))),
      `sites/${bare}/site.json`,
      `sites/${hostname}/index-${rows[0].generation}.xml.gz`,
      `sites/${hostname}/site.json`,
      'uploads/u1/2.xml.gz',
      'uploads/u1/index.xml.gz',
      'uploads/u1/listing.json',
    ]
      // Two hosts may share a part of the directory.
      .filter((key, i, keys) => keys.indexOf(key) === i)
      .sort(),
  );
});

test('a site that is still to be written is found', async () => {
  await database.query("INSERT INTO site_changes VALUES ('a.example', 1, now(), now())");
  await expect(checkJobs(database)).rejects.toThrow(/sites are not written.*a\.example/);
  await database.query('DELETE FROM site_changes');
});

test('a missing object and a surplus object are found', () => {
  compareKeys(['a', 'b'], ['a', 'b']);
  compareKeys(['a', 'uploads/u/listing.json', 'sites/h/index-7.xml.gz'], ['a']);
  expect(() => compareKeys(['a'], ['a', 'uploads/u/listing.json'])).toThrow('left in the store');
  expect(() => compareKeys(['a', 'b'], ['a'])).toThrow('missing in the store: b');
  expect(() => compareKeys(['a'], ['a', 'c'])).toThrow('left in the store: c');
});
