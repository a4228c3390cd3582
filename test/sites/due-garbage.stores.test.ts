/** A long list of due garbage: each step of the collector looks at a page of it at a time. */
import { beforeEach, expect, test } from 'vitest';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import {
  endSharingGenerations,
  readDuePages,
  takeDueGarbage,
} from '../../src/features/sites/due-garbage-store.ts';
import { addGarbage, sumKeptBytes } from '../../src/features/sites/garbage-store.ts';
import { trimGenerations } from '../../src/features/sites/shared-file-store.ts';
import { uploadPrefix } from '../../src/features/sites/site.ts';
import { createDatabasePool, inTransaction, type Transaction } from '../../src/platform/postgres/database.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { createUploadFixture, DAY_MS } from '../uploads/upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const account = await addAccount(database);

beforeEach(async () => {
  await database.query('DELETE FROM garbage');
  await database.query('DELETE FROM due_garbage');
});

const collect = (of: Partial<Parameters<typeof collectGarbage>[0]> = {}) =>
  collectGarbage({ ...fixture.collecting, ...of });

/** Prefixes of uploads that were never published. All are due at one time, as those of a deleted domain. */
async function addDue(name: string, count: number): Promise<string[]> {
  const prefixes = Array.from({ length: count }, (_, n) => uploadPrefix(`${name}_${n}`));
  await addGarbage(database, prefixes, -DAY_MS);
  return prefixes.sort();
}

/** Replaced uploads whose comparisons are due, so they have to wait. They are due before all others. */
async function addWaiting(name: string, count: number): Promise<void> {
  const { id } = await addVerifiedDomain(database, account);
  await database.query(
    `WITH numbers AS (SELECT n FROM generate_series(1, $2::integer) AS n), published AS (
       INSERT INTO uploads (id, domain_id, sitemap_name, seq, url_count, file_count, bytes, gzip_bytes, published_at, replaced_at)
       SELECT $3 || kind || n, $1, 's' || n, seq, 1, 1, 1, 1, now(), CASE WHEN seq = 1 THEN now() END
         FROM numbers, (VALUES ('_old_', 1), ('_new_', 2)) AS kinds (kind, seq) RETURNING id
     )
     INSERT INTO garbage (prefix, collect_after)
     SELECT 'uploads/' || $3 || '_old_' || n || '/', now() - interval '23 hours' FROM numbers`,
    [id, count, name],
  );
  await database.query(
    `INSERT INTO sitemaps (domain_id, name, upload_id, compared_upload_id)
     SELECT $1, 's' || n, $3 || '_new_' || n, $3 || '_old_' || n FROM generate_series(1, $2::integer) AS n`,
    [id, count, name],
  );
}

/** Two replaced generations with one common file, which are due now. */
async function addSharing(name: string, fileCount = 1): Promise<string[]> {
  const { id } = await addVerifiedDomain(database, account);
  const ids = [`${name}_1`, `${name}_2`];
  await database.query(
    `INSERT INTO uploads (id, domain_id, sitemap_name, seq, url_count, file_count, bytes, gzip_bytes, published_at, replaced_at)
     SELECT id, $1, '', n, 1, $3, 1, 1, now(), now() FROM unnest($2::text[]) WITH ORDINALITY AS one (id, n)`,
    [id, ids, fileCount],
  );
  await database.query(
    `INSERT INTO sitemap_files (upload_id, upload_n, entries, bytes, gzip_bytes, etag, last_modified, domain_id, sitemap_name, n, from_seq, to_seq)
     VALUES ($2, 1, 1, 1, 1, 'e', now(), $1, '', 1, 1, 3)`,
    [id, ids[0]],
  );
  await addGarbage(database, ids.map(uploadPrefix), 0);
  return ids;
}

const endedOf = async (ids: readonly string[]) =>
  (
    await database.query('SELECT FROM garbage WHERE prefix = ANY($1) AND ended_at IS NOT NULL', [
      ids.map(uploadPrefix),
    ])
  ).rowCount;

const readSoFar = async (transaction: Transaction): Promise<number> => {
  const { rows } = await transaction.query(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS rows FROM pg_stat_xact_user_tables`,
  );
  return rows[0].rows ?? 0;
};
/** The rows that Postgres reads for `work`. */
const rowsOf = (work: (transaction: Transaction) => Promise<unknown>) =>
  inTransaction(database, async (transaction) => {
    // Postgres also counts what the session read before, for up to a second.
    const before = await readSoFar(transaction);
    await work(transaction);
    return (await readSoFar(transaction)) - before;
  });

test('pages have each due prefix once, also if all are due at one time, and no kept one', async () => {
  const due = await addDue('paged', 23);
  await addGarbage(database, ['uploads/later/'], DAY_MS);
  await database.query(`INSERT INTO garbage (prefix, collect_after) VALUES ('uploads/kept/', 'infinity')`);
  const pages: (readonly string[])[] = [];
  for await (const page of readDuePages(database, 10)) pages.push(page);
  expect(pages.map(({ length }) => length)).toEqual([10, 10, 3]);
  expect(pages.flat()).toEqual(due);
});

test('a prefix is due at its last time only, and its former times are forgotten once they come', async () => {
  const due = await addDue('moved', 3);
  const listed = async () =>
    (
      await database.query(
        'SELECT prefix, collect_after <= now() AS due FROM due_garbage ORDER BY collect_after',
      )
    ).rows;
  const read = async () => {
    const pages: string[] = [];
    for await (const page of readDuePages(database, 2)) pages.push(...page);
    return pages;
  };
  const move = (prefix: string | undefined, hours: number) =>
    database.query(`UPDATE garbage SET collect_after = now() + $2 * interval '1 hour' WHERE prefix = $1`, [
      prefix,
      hours,
    ]);
  // One goes later and comes back earlier than it was, one goes later, and one is kept.
  await move(due[0], 5);
  await move(due[0], -30);
  await move(due[1], 5);
  await database.query(`UPDATE garbage SET collect_after = 'infinity' WHERE prefix = $1`, [due[2]]);
  expect(await listed()).toHaveLength(6);
  expect(await read()).toEqual([due[0]]);
  expect(await listed()).toEqual([
    { prefix: due[0], due: true },
    { prefix: due[0], due: false },
    { prefix: due[1], due: false },
  ]);
  expect(await read()).toEqual([due[0]]);
});

test('what waits for a comparison fills no page: generations behind it end, and garbage is collected', async () => {
  await addWaiting('waiting', 600);
  const sharing = await addSharing('behind');
  await addGarbage(database, ['uploads/behind_all/', 'sites/behind.example/index-'], 0);
  await storage.put('uploads/behind_all/1.xml.gz', [Buffer.from('x')]);
  await storage.put('uploads/behind_1/1.xml.gz', [Buffer.from('x')]);
  await collect();
  const left = await fixture.garbage();
  expect(left).toHaveLength(600);
  expect(left.every((prefix) => prefix.startsWith('uploads/waiting_old_'))).toBe(true);
  expect(await fixture.keys('uploads/behind')).toEqual([]);
  const { rowCount } = await database.query('SELECT FROM uploads WHERE id = ANY($1)', [sharing]);
  expect(rowCount).toBe(0);
});

test('a step reads no more rows if more is due', async () => {
  await addWaiting('counted', 20);
  await database.query('ANALYZE garbage');
  const { value: page = [] } = await readDuePages(database, 10).next();
  const steps: ((transaction: Transaction) => Promise<unknown>)[] = [
    (transaction) => readDuePages(transaction, 10).next(),
    (transaction) => endSharingGenerations(transaction, page),
    (transaction) => takeDueGarbage(transaction, page, 10),
  ];
  const before: number[] = [];
  for (const step of steps) before.push(await rowsOf(step));
  expect(before.every((rows) => rows > 0)).toBe(true);
  await addWaiting('more', 2000);
  await database.query('ANALYZE');
  const after = [];
  for (const step of steps) after.push(await rowsOf(step));
  for (const [n, rows] of after.entries()) expect(rows).toBeLessThanOrEqual(before[n]! + 10);
});

test('a look at small uploads does not read the files of a large one, though Postgres knows no other files', async () => {
  const [large] = await addSharing('of_many_files', 3000);
  await database.query(
    `INSERT INTO sitemap_files (upload_id, upload_n, entries, bytes, gzip_bytes, etag, last_modified, domain_id, sitemap_name, n, from_seq, to_seq)
     SELECT upload_id, place, 1, 1, 1, 'e', now(), domain_id, sitemap_name, place, 1, 3
       FROM sitemap_files, generate_series(2, 3000) AS place WHERE upload_id = $1`,
    [large],
  );
  await database.query('DELETE FROM garbage');
  const { id } = await addVerifiedDomain(database, account);
  const ids = Array.from({ length: 100 }, (_, n) => `small_${n}`);
  await database.query(
    `INSERT INTO uploads (id, domain_id, sitemap_name, seq, url_count, file_count, bytes, gzip_bytes, published_at, replaced_at)
     SELECT id, $1, id, 1, 1, 1, 1, 1, now(), now() FROM unnest($2::text[]) AS id`,
    [id, ids],
  );
  const prefixes = ids.map(uploadPrefix);
  const steps: ((transaction: Transaction) => Promise<unknown>)[] = [
    (transaction) => endSharingGenerations(transaction, prefixes),
    (transaction) => takeDueGarbage(transaction, prefixes, 100),
  ];
  const look = async () => {
    const rows: number[] = [];
    for (const step of steps) rows.push(await rowsOf(step));
    return rows;
  };
  // Postgres thinks that no garbage is listed, and then knows how much is.
  await database.query('ANALYZE');
  await addGarbage(database, prefixes, -DAY_MS);
  const counts = await look();
  await database.query('ANALYZE');
  counts.push(...(await look()));
  for (const rows of counts) {
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(100 * prefixes.length);
  }
});

test('a collector that dies between two pages leaves the rest to the next', async () => {
  const sharing = [...(await addSharing('first')), ...(await addSharing('second'))];
  const pages = readDuePages(database, 2);
  const { value: page } = await pages.next();
  await inTransaction(database, (transaction) => endSharingGenerations(transaction, page!));
  await pages.return();
  expect(await endedOf(sharing)).toBe(2);
  await addDue('unknown', 35);
  let requests = 0;
  // Ten uploads of unknown size are a portion.
  const list = (prefix: string) => {
    if (++requests >= 15) throw new Error('killed');
    return storage.list(prefix);
  };
  const deleteMany = async (keys: readonly string[]) => {
    if (requests >= 15) throw new Error('killed');
    await storage.deleteMany(keys);
  };
  const get = storage.get.bind(storage);
  await expect(collect({ storage: { get, deleteMany, list } })).rejects.toThrow('killed');
  expect(requests).toBeGreaterThanOrEqual(15);
  // The common file of each two generations is listed by itself.
  expect(await fixture.garbage()).toHaveLength(25 + 4 + 2);
  await collect();
  expect(await fixture.garbage()).toEqual([]);
});

test('generations of many files are trimmed one by one', async () => {
  const sharing = await addSharing('large', 800);
  await inTransaction(database, (transaction) =>
    endSharingGenerations(transaction, sharing.map(uploadPrefix)),
  );
  const trim = (files: number) =>
    inTransaction(database, (transaction) => trimGenerations(transaction, 100, files));
  expect([await trim(1000), await trim(10), await trim(1000)]).toEqual([1, 1, 0]);
});

test('sums of many changes are made in portions, and miss none', async () => {
  await sumKeptBytes(database);
  await database.query(`INSERT INTO kept_bytes_changes SELECT $1, n FROM generate_series(1, 30000) AS n`, [
    account,
  ]);
  const before = await database.query(`SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM kept_bytes`);
  await sumKeptBytes(database);
  const after = await database.query(`SELECT sum(bytes)::bigint AS bytes FROM kept_bytes`);
  expect(after.rows[0].bytes - before.rows[0].bytes).toBe((30000 * 30001) / 2);
  expect((await database.query('SELECT FROM kept_bytes_changes')).rowCount).toBe(0);
});

test('the unused files of a large session are listed, although a busy database takes longer than for other statements', async () => {
  await database.query(`
    CREATE FUNCTION be_busy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2.2); RETURN NULL; END $$;
    CREATE TRIGGER be_busy BEFORE INSERT ON garbage FOR EACH STATEMENT EXECUTE FUNCTION be_busy()`);
  const ordinary = createDatabasePool(new Secret(database.options.connectionString!), 1, collectLog(), 2000);
  const prefixes = Array.from({ length: 1001 }, (_, n) => `uploads/unused/${n}.`);
  try {
    await inTransaction(ordinary, (transaction) => addGarbage(transaction, prefixes, DAY_MS));
  } finally {
    await ordinary.end();
    await database.query('DROP FUNCTION be_busy CASCADE');
  }
  expect((await database.query('SELECT FROM garbage')).rowCount).toBe(1001);
});
