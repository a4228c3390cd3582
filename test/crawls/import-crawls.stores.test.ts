import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type CrawlCount,
  crawlsKey,
  MAX_BYTES,
  MAX_LINES,
  packCounts,
} from '../../src/features/crawls/crawl-object.ts';
import { deleteOldCrawls, findImportAge } from '../../src/features/crawls/crawl-store.ts';
import { type ImportOutcome, importCrawls } from '../../src/features/crawls/import-crawls.ts';
import { openFolderStorage } from '../../src/platform/storage/folder-storage.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';
import { addAccount, addDomain, addVerifiedDomain } from '../support/accounts.ts';
import { collect } from '../support/collect.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const storage = await openFolderStorage(await createTemporaryFolder());
const accountId = await addAccount(database);
const { id, hostname } = await addVerifiedDomain(database, accountId);
const today = await dayAgo(0);

const line = (count: Partial<CrawlCount> = {}): CrawlCount => ({
  ...{ hostname, crawler: 'Googlebot', status: 200, requests: 1 },
  ...count,
});

async function dayAgo(days: number): Promise<string> {
  const { rows } = await database.query(
    "SELECT ((now() AT TIME ZONE 'UTC')::date - $1::integer)::text AS day",
    [days],
  );
  return rows[0].day;
}

const newKey = (day = today) => crawlsKey(day, randomBytes(8).toString('hex'), 1);

async function store(counts: readonly CrawlCount[], key = newKey()): Promise<string> {
  await storage.put(key, [await packCounts(counts)]);
  return key;
}

async function run(changed: Partial<ObjectStorage> = {}) {
  const log = collectLog();
  const outcomes: ImportOutcome[] = [];
  const changedStorage = {
    get: (key: string) => storage.get(key),
    list: (prefix: string) => storage.list(prefix),
    deleteMany: (keys: readonly string[]) => storage.deleteMany(keys),
    ...changed,
  };
  const options = {
    database,
    storage: changedStorage,
    log,
    report: (outcome: ImportOutcome) => outcomes.push(outcome),
  };
  const error = await importCrawls(options).then(
    () => undefined,
    (cause: Error) => cause,
  );
  return { outcomes: outcomes.sort(), error, log: log.lines };
}

const crawls = async () =>
  (
    await database.query(
      'SELECT domain_id AS domain, day::text, crawler, status, requests FROM crawls ORDER BY day, crawler, status, domain_id',
    )
  ).rows;
const keys = async () => (await collect(storage.list('crawls/'))).map(({ key }) => key);

beforeEach(async () => {
  await database.query('TRUNCATE crawls, crawl_imports, file_visits, file_errors');
  await storage.deleteMany(await keys());
});

describe('objects of hosting processes', () => {
  test('are added up by domain, day, kind and status, and then they are gone', async () => {
    const yesterday = await dayAgo(1);
    await store([line({ requests: 5 }), line({ status: 404 }), line({ requests: 2 })]);
    await store([line({ requests: 7 }), line({ crawler: 'Bingbot', requests: 3 })]);
    await store([line({ requests: 11 })], newKey(yesterday));
    expect(await run()).toMatchObject({
      outcomes: ['imported', 'imported', 'imported'],
      error: undefined,
      log: [],
    });
    const expected = [
      { day: yesterday, crawler: 'Googlebot', status: 200, requests: 11 },
      { day: today, crawler: 'Bingbot', status: 200, requests: 3 },
      { day: today, crawler: 'Googlebot', status: 200, requests: 14 },
      { day: today, crawler: 'Googlebot', status: 404, requests: 1 },
    ];
    expect(await crawls()).toEqual(expected.map((row) => ({ domain: id, ...row })));
    expect(await keys()).toEqual([]);
    expect(await run()).toMatchObject({ outcomes: [] });
  });

  test('are counted once, even if they come back', async () => {
    const key = await store([line()]);
    await run();
    await store([line()], key);
    expect(await run()).toMatchObject({ outcomes: ['skipped'] });
    expect(await crawls()).toMatchObject([{ requests: 1 }]);
    expect(await keys()).toEqual([]);
  });

  test('are counted once by several processes at once', async () => {
    for (let n = 0; n < 20; n++) await store([line(), line({ crawler: 'Bingbot' })]);
    const runs = await Promise.all([run(), run(), run()]);
    expect(runs.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(runs.flatMap(({ outcomes }) => outcomes).filter((outcome) => outcome === 'imported').length).toBe(
      20,
    );
    expect(await crawls()).toMatchObject([{ requests: 20 }, { requests: 20 }]);
    expect(await keys()).toEqual([]);
  });

  test('of as many sites as fit are added in one go', async () => {
    const hostnames = Array.from({ length: MAX_LINES }, (_, n) => `many${n}.example.org`);
    await database.query(
      `INSERT INTO domains (id, account_id, hostname, cname_target, status, ssl_status)
       SELECT 'many_' || name, $1, name, 'x' || name, 'verified', 'pending' FROM unnest($2::text[]) AS name`,
      [accountId, hostnames],
    );
    await store(hostnames.map((name, n) => line({ hostname: name, requests: n + 1 })));
    await run();
    const { rows } = await database.query('SELECT count(*), sum(requests)::bigint AS requests FROM crawls');
    expect(rows).toEqual([{ count: MAX_LINES, requests: (MAX_LINES * (MAX_LINES + 1)) / 2 }]);
    await database.query("DELETE FROM domains WHERE id LIKE 'many%'");
  });
});

describe('the counts of a hostname', () => {
  test('belong to the domain that holds it, and without one to the newest', async () => {
    const shared = 'shared.example.com';
    const oldest = await addDomain(database, await addAccount(database), shared);
    await addDomain(database, await addAccount(database), shared);
    const newest = await addDomain(database, await addAccount(database), shared);
    await store([line({ hostname: shared })]);
    await run();
    await database.query("UPDATE domains SET status = 'verified' WHERE id = $1", [oldest.id]);
    await store([line({ hostname: shared, status: 304 })]);
    await run();
    expect(await crawls()).toMatchObject([
      { domain: newest.id, status: 200 },
      { domain: oldest.id, status: 304 },
    ]);
  });

  test('are dropped if there is no domain, and go with their domain', async () => {
    const { id: doomed, hostname: name } = await addVerifiedDomain(database, accountId);
    await store([line({ hostname: 'nobody.example.com' }), line({ hostname: name })]);
    expect(await run()).toMatchObject({ outcomes: ['imported'] });
    expect(await crawls()).toMatchObject([{ domain: doomed }]);
    await database.query('DELETE FROM domains WHERE id = $1', [doomed]);
    expect(await crawls()).toEqual([]);
  });
});

describe('a damaged object', () => {
  const good = `${JSON.stringify(line())}\n`;
  test.each<[string, Buffer | string]>([
    ['no gzip', Buffer.from('no gzip')],
    ['a cut object', gzipSync(good).subarray(0, 20)],
    ['a bomb', gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ['too many bytes', randomBytes(MAX_BYTES + 1)],
    ['too many lines', good.repeat(MAX_LINES + 1)],
    ['an unfinished line', good.slice(0, -1)],
    ['an empty line', '\n'],
    ['no JSON', 'no JSON\n'],
    ['another shape', '[1]\n'],
    ['no hostname', `${JSON.stringify(line({ hostname: 'a\tb' }))}\n`],
    ['a status beyond all', `${JSON.stringify(line({ status: 70_000 }))}\n`],
    ['a negative count', `${JSON.stringify(line({ requests: -1 }))}\n`],
    ['an endless count', `${JSON.stringify(line()).replace('1}', '1e300}')}\n`],
  ])('with %s is logged and deleted, and delays no other', async (_, content) => {
    const key = newKey();
    await storage.put(key, [typeof content === 'string' ? gzipSync(content) : content]);
    await store([line()]);
    const { outcomes, error, log } = await run();
    expect({ outcomes, error }).toEqual({ outcomes: ['damaged', 'imported'], error: undefined });
    expect(log).toMatchObject([{ level: 'error', details: { object: key } }]);
    expect(await crawls()).toMatchObject([{ requests: 1 }]);
    expect(await keys()).toEqual([]);
  });

  test.each([
    'crawls/x',
    'crawls/2026-02-30/a-1.ndjson.gz',
    'crawls/2026-02-01/a-1.ndjson',
    'crawls/2026-02-01/a/b-1.ndjson.gz',
    `crawls/2026-02-01/${'a'.repeat(100)}-1.ndjson.gz`,
  ])('has the key %s', async (key) => {
    await store([line()], key);
    expect(await run()).toMatchObject({ outcomes: ['damaged'] });
    expect(await crawls()).toEqual([]);
    expect(await keys()).toEqual([]);
  });
});

test('an unknown kind is one of the other bots', async () => {
  await store([line({ crawler: 'x\t\\N\n' })]);
  await run();
  expect(await crawls()).toMatchObject([{ crawler: 'Other bots' }]);
});

test.each([
  [31, 'skipped', 0],
  [30, 'imported', 1],
  [-1, 'imported', 1],
  [-2, 'skipped', 0],
])('an object of %i days ago is %s', async (days, outcome, rows) => {
  await store([line()], newKey(await dayAgo(days)));
  expect(await run()).toMatchObject({ outcomes: [outcome] });
  expect(await crawls()).toHaveLength(rows);
  expect(await keys()).toEqual([]);
});

describe('while the store fails', () => {
  const fails = async () => {
    throw new Error('the store is down');
  };

  test('an object that cannot be read stays, and delays no other', async () => {
    const broken = await store([line()]);
    await store([line()]);
    const { outcomes, error, log } = await run({
      get: (key) => (key === broken ? fails() : storage.get(key)),
    });
    expect({ outcomes, error }).toEqual({ outcomes: ['imported'], error: undefined });
    expect(log).toMatchObject([{ level: 'warn', details: { object: broken } }]);
    expect(await keys()).toEqual([broken]);
  });

  test('for all of them, the run ends', async () => {
    for (let n = 0; n < 50; n++) await store([line()]);
    let asked = 0;
    const { error } = await run({
      get: async () => {
        asked++;
        return fails();
      },
    });
    expect(error?.message).toBe('the store is down');
    expect(asked).toBeLessThan(20);
    expect(await keys()).toHaveLength(50);
  });

  test('and deletes nothing, the object is skipped the next time', async () => {
    await store([line()]);
    const { outcomes, error, log } = await run({ deleteMany: fails });
    expect({ outcomes, error }).toEqual({ outcomes: ['imported'], error: undefined });
    expect(log).toMatchObject([{ level: 'warn', message: 'counts of crawls cannot be deleted' }]);
    expect(await run()).toMatchObject({ outcomes: ['skipped'] });
    expect(await crawls()).toMatchObject([{ requests: 1 }]);
    expect(await keys()).toEqual([]);
  });

  test('and deletes none of many, the run ends', async () => {
    for (let n = 0; n < 30; n++) await store([line()]);
    const { outcomes, error } = await run({ deleteMany: fails });
    expect(error?.message).toBe('the store is down');
    expect(outcomes.length).toBeLessThan(20);
  });

  test('an object that is gone meanwhile is no failure', async () => {
    await store([line()]);
    expect(await run({ get: async () => undefined })).toMatchObject({
      outcomes: [],
      error: undefined,
      log: [],
    });
  });
});

test('a failed transaction leaves nothing of an object, and the next run does it', async () => {
  await store([line()]);
  await database.query('ALTER TABLE crawls ADD CONSTRAINT none CHECK (requests < 0)');
  const { outcomes, error } = await run();
  await database.query('ALTER TABLE crawls DROP CONSTRAINT none');
  expect({ outcomes, error: error?.message }).toEqual({
    outcomes: [],
    error: expect.stringContaining('none'),
  });
  expect(await run()).toMatchObject({ outcomes: ['imported'] });
  expect(await crawls()).toMatchObject([{ requests: 1 }]);
});

test('counts of 400 days are kept, and records of imports until their objects are too old', async () => {
  await database.query(
    `INSERT INTO crawls SELECT $1, current_date - n, 'Googlebot', 200, 1 FROM generate_series(390, 410) AS n`,
    [id],
  );
  await database.query(
    `INSERT INTO crawl_imports SELECT 'o' || n, now() - n * interval '1 day' FROM generate_series(1, 60) AS n`,
  );
  await deleteOldCrawls(database);
  expect(await crawls()).toHaveLength(11);
  expect((await database.query('SELECT FROM crawl_imports')).rowCount).toBe(39);
});

test('the age of the newest import is known', async () => {
  expect(await findImportAge(database)).toBeNull();
  await database.query(
    "INSERT INTO crawl_imports VALUES ('a', now() - interval '1 hour'), ('b', now() - interval '1 day')",
  );
  expect(Math.floor((await findImportAge(database))! / 60)).toBe(60);
  // An import while the clock was years ahead.
  await database.query(
    `INSERT INTO crawl_imports (object, imported_at) VALUES ('crawls/ahead', now() + interval '4 years')`,
  );
  expect(Math.floor((await findImportAge(database))! / 60)).toBe(60);
  await database.query(`DELETE FROM crawl_imports WHERE object = 'crawls/ahead'`);
});
