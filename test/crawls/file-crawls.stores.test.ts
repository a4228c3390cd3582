import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type CrawlCount, packCounts, unpackCounts } from '../../src/features/crawls/crawl-object.ts';
import { addCrawls, deleteOldCrawls } from '../../src/features/crawls/crawl-store.ts';
import {
  type FileError,
  type FileVisit,
  listFileErrors,
  listFileVisits,
  listNewestVisits,
} from '../../src/features/crawls/file-crawl-store.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { casesOf } from '../support/property-runs.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const accountId = await addAccount(database);
const { id, hostname } = await addVerifiedDomain(database, accountId);
const { rows: clock } = await database.query(
  "SELECT to_char((now() AT TIME ZONE 'UTC')::date - 1, 'YYYY-MM-DD') AS yesterday",
);
const yesterday: string = clock[0].yesterday;
const midnight = Date.parse(yesterday) / 1000;

const line = (count: Partial<CrawlCount> = {}): CrawlCount => ({
  ...{ hostname, crawler: 'Googlebot', status: 200, requests: 1, file: 'sitemap.xml', last: midnight + 60 },
  ...count,
});
const add = (counts: readonly CrawlCount[], day = yesterday) =>
  inTransaction(database, (transaction) => addCrawls(transaction, day, counts));
const visits = () => listFileVisits(database, id, {}, 10_000);
const errors = () => listFileErrors(database, id, {}, 10_000);
const at = (second: number) => new Date((midnight + second) * 1000);

beforeEach(async () => {
  await database.query('TRUNCATE crawls, file_visits, file_errors');
});

test('counts by file are those of a naive model, however they are divided into objects', async () => {
  const counts = fc.record({
    crawler: fc.constantFrom('Googlebot', 'Bingbot'),
    status: fc.constantFrom(200, 304, 404, 503),
    requests: fc.integer({ min: 1, max: 9 }),
    file: fc.constantFrom(undefined, 'robots.txt', 'sitemap.xml', 'sitemap-a.2.xml'),
    last: fc.integer({ min: midnight, max: midnight + 86_399 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(counts, { maxLength: 20 }), { maxLength: 4 }), async (objects) => {
      await database.query('TRUNCATE crawls, file_visits, file_errors');
      const sum = new Map<string, number>();
      const lastVisit = new Map<string, { last: number; status: number; requests: number }>();
      for (const object of objects) {
        await add(object.map((count) => line(count)));
        const visited = new Map<string, { last: number; status: number; requests: number }>();
        for (const { crawler, status, requests, file = '', last } of object) {
          if (status >= 400) {
            const key = `${file} ${crawler} ${status}`;
            sum.set(key, (sum.get(key) ?? 0) + requests);
          } else if (file !== '') {
            const key = `${file} ${crawler}`;
            const found = visited.get(key) ?? { last: 0, status: 0, requests: 0 };
            const isLater = last > found.last || (last === found.last && status > found.status);
            visited.set(key, {
              last: Math.max(last, found.last),
              status: isLater ? status : found.status,
              requests: found.requests + requests,
            });
          }
        }
        for (const [key, visit] of visited) {
          const known = lastVisit.get(key) ?? { last: 0, status: 0, requests: 0 };
          lastVisit.set(key, {
            ...(visit.last >= known.last ? visit : known),
            requests: known.requests + visit.requests,
          });
        }
      }
      const shownVisit = ({ file, crawler, lastAt, status, requests }: FileVisit) =>
        [`${file} ${crawler}`, { last: lastAt.getTime() / 1000, status, requests }] as const;
      expect(new Map((await visits()).map(shownVisit))).toEqual(lastVisit);
      const shownError = ({ file, crawler, status, requests }: FileError) =>
        [`${file} ${crawler} ${status}`, requests] as const;
      expect(new Map((await errors()).map(shownError))).toEqual(sum);
      const { rows } = await database.query('SELECT coalesce(sum(requests), 0)::integer AS sum FROM crawls');
      expect(rows[0].sum).toBe(objects.flat().reduce((total, { requests }) => total + requests, 0));
    }),
    { numRuns: casesOf(25) },
  );
});

describe('versions of objects', () => {
  /** The schema of version 0015, letter by letter. zod leaves out members that it does not know. */
  const formerSchema = z.object({
    hostname: z.string(),
    crawler: z.string(),
    status: z.int().min(100).max(599),
    requests: z.int().min(1).max(1_000_000_000),
  });

  test('an object of a version without files is read, and counts for the domain alone', async () => {
    const { file: _, last: __, ...old } = line({ requests: 7 });
    await add(await unpackCounts(gzipSync(`${JSON.stringify(old)}\n`)));
    expect(await visits()).toEqual([]);
    const { rows } = await database.query('SELECT requests FROM crawls');
    expect(rows).toEqual([{ requests: 7 }]);
  });

  test('a version without files reads our lines, and loses no request', () => {
    const lines = [line({ requests: 3 }), line({ file: 'robots.txt', requests: 4 })];
    const read = lines.map((one) => formerSchema.parse(JSON.parse(JSON.stringify(one))));
    expect(read.reduce((sum, { requests }) => sum + requests, 0)).toBe(7);
  });

  test.each([
    ['a name that no domain can have', { file: '../etc/passwd' }],
    ['no text', { file: 7 }],
    ['a time that is none', { last: 'now' }],
    ['a time beyond all', { last: 1e15 }],
  ])('%s costs the name, and not the count', async (_, wrong) => {
    await add(await unpackCounts(await packCounts([{ ...line({ requests: 5 }), ...wrong } as CrawlCount])));
    const { rows } = await database.query('SELECT requests FROM crawls');
    expect(rows).toEqual([{ requests: 5 }]);
    const found = await visits();
    if ('file' in wrong) expect(found).toEqual([]);
    else expect(found).toMatchObject([{ requests: 5, lastAt: at(0) }]);
  });
});

test('a last visit is within the day of its object', async () => {
  await add([line({ last: midnight - 1 }), line({ file: 'robots.txt', last: midnight + 200_000 })]);
  expect(await visits()).toMatchObject([
    { file: 'robots.txt', lastAt: at(86_399) },
    { file: 'sitemap.xml', lastAt: at(0) },
  ]);
});

test('a late object of an earlier time does not put the last visit back', async () => {
  await add([line({ status: 304, last: midnight + 500 })]);
  await add([line({ last: midnight + 400 })]);
  expect(await visits()).toMatchObject([{ status: 304, lastAt: at(500), requests: 2 }]);
});

describe('a flood of missing files', () => {
  test('keeps 200 names a day, and counts the rest without one', async () => {
    const flood = (from: number) =>
      Array.from({ length: 150 }, (_, n) => line({ status: 404, file: `sitemap-x${from + n}.xml` }));
    await add([line({ status: 503, file: 'sitemap.xml' }), ...flood(0)]);
    await add(flood(150));
    await add(flood(300));
    // A known name goes on to count by name.
    await add([line({ status: 404, file: 'sitemap-x1.xml', requests: 5 })]);
    const found = await errors();
    const missing = found.filter(({ status }) => status === 404);
    expect(missing.filter(({ file }) => file !== '')).toHaveLength(200);
    expect(missing.find(({ file }) => file === '')).toMatchObject({ requests: 250 });
    expect(missing.find(({ file }) => file === 'sitemap-x1.xml')).toMatchObject({ requests: 6 });
    expect(found.filter(({ status }) => status === 503)).toHaveLength(1);
  });

  test('on one day takes no room of another', async () => {
    const { rows } = await database.query("SELECT to_char($1::date - 1, 'YYYY-MM-DD') AS before", [
      yesterday,
    ]);
    await add(
      Array.from({ length: 300 }, (_, n) => line({ status: 404, file: `sitemap-x${n}.xml` })),
      rows[0].before,
    );
    await add([line({ status: 404, file: 'sitemap-news.xml' })]);
    expect((await errors())[0]).toMatchObject({ day: yesterday, file: 'sitemap-news.xml' });
  });
});

test('lists go on after a row, and can be narrowed', async () => {
  const files = ['robots.txt', 'sitemap.xml', 'sitemap-a.xml'];
  await add(
    files.flatMap((file) =>
      ['Googlebot', 'Bingbot'].flatMap((crawler) =>
        [200, 500, 503].map((status) => line({ file, crawler, status })),
      ),
    ),
  );
  const allVisits = await visits();
  const allErrors = await errors();
  expect([allVisits.length, allErrors.length]).toEqual([6, 12]);
  const read = async <Row>(page: (after: Row | undefined) => Promise<Row[]>): Promise<Row[]> => {
    const found: Row[] = [];
    for (;;) {
      const rows = await page(found.at(-1));
      if (rows.length === 0) return found;
      found.push(...rows);
    }
  };
  expect(await read<FileVisit>((after) => listFileVisits(database, id, {}, 4, after))).toEqual(allVisits);
  expect(await read<FileError>((after) => listFileErrors(database, id, {}, 5, after))).toEqual(allErrors);
  await database.query(
    `UPDATE file_visits SET last_at = last_at - (hashtext(file) % 3) * interval '1 hour 123.4567 ms' WHERE domain_id = $1`,
    [id],
  );
  const newest = await listNewestVisits(database, id, {}, 100);
  expect(newest.map(({ lastAt }) => lastAt)).toEqual(
    newest.map(({ lastAt }) => lastAt).toSorted((a, b) => b.getTime() - a.getTime()),
  );
  expect(new Set(newest.map(({ file, crawler }) => `${file} ${crawler}`)).size).toBe(6);
  // The position as a cursor has it.
  const readNewest = async (after: FileVisit | undefined) =>
    listNewestVisits(database, id, {}, 4, after && JSON.parse(JSON.stringify(after)));
  expect(await read<FileVisit>(readNewest)).toEqual(newest);
  const narrow = { file: 'sitemap.xml', crawler: 'Bingbot' };
  expect(await listNewestVisits(database, id, narrow, 10)).toMatchObject([narrow]);
  expect(await listFileVisits(database, id, narrow, 10)).toMatchObject([narrow]);
  expect(await listFileErrors(database, id, { ...narrow, status: 503 }, 10)).toMatchObject([
    { ...narrow, status: 503 },
  ]);
});

test('visits are kept for 400 days, errors for 30', async () => {
  await database.query(
    `INSERT INTO file_visits (domain_id, file, crawler, status, requests, last_at)
     SELECT $1, 'sitemap.' || n || '.xml', 'Googlebot', 200, 1, now() - n * interval '1 day' FROM generate_series(390, 410) AS n`,
    [id],
  );
  await database.query(
    `INSERT INTO file_errors SELECT $1, (now() AT TIME ZONE 'UTC')::date - n, 'sitemap.xml', 'Googlebot', 503, 1, now()
       FROM generate_series(25, 35) AS n`,
    [id],
  );
  await deleteOldCrawls(database);
  expect([(await visits()).length, (await errors()).length]).toEqual([11, 6]);
});
