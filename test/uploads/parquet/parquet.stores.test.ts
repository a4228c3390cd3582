/** Parquet files over the stores: kept in pieces, published as other forms are, and nothing is left of them. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ParquetReader } from '../../../src/features/uploads/parquet/parquet-reader.ts';
import { PIECE_BYTES, SpooledBody } from '../../../src/features/uploads/parquet/spooled-body.ts';
import { newId } from '../../../src/platform/ids.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { collectLog } from '../../support/collect-log.ts';
import { inKeptChunks } from '../forms/render-body.ts';
import { sessionsOf } from '../sessions/session-fixture.ts';
import { createUploadFixture } from '../upload-fixture.ts';
import { TEXT, timestamp, writeParquet } from './parquet-files.ts';

const fixture = await createUploadFixture();
const { database, storage, uploadBytes, upload, keys, garbage } = fixture;
const account = await addAccount(database);
const { hostname } = await addVerifiedDomain(database, account);

const ROWS = 30_000;
const AT = 1768471200123;
/** Random bytes, so that the body has more than one piece. */
const locs = Array.from(
  { length: ROWS },
  (_, i) => `https://example.com/${i}/${randomBytes(120).toString('hex')}`,
);
const LARGE = writeParquet(
  [
    { name: 'loc', data: locs, schema: TEXT },
    { name: 'updated', data: locs.map((_, i) => new Date(AT + i * 1000)), schema: timestamp('MICROS') },
    { name: 'padding', data: locs.map(() => 'not read'), schema: TEXT },
  ],
  { rowGroupSize: 9000 },
);
const COLUMNS = 'loc,lastmod:updated';
const sent = (query: object) => ({
  head: { form: 'parquet' as const, query: { domain: hostname, columns: COLUMNS, ...query } },
});
/** A reader that is ahead of a refusal may delete its pieces just after the answer. */
const before = async () => ({ keys: await keys(), garbage: await garbage() });

test('the test has a file of several pieces', () => {
  expect(LARGE.length).toBeGreaterThan(PIECE_BYTES);
});

test('an upload publishes the files of the same entries as JSON, and leaves no piece', async () => {
  const json = await upload(account, {
    domain: hostname,
    sitemapName: 'json',
    urls: locs.map((loc, i) => ({
      loc,
      lastmod: new Date(AT + i * 1000).toISOString().replace(/\.?0+Z$/, 'Z'),
    })),
  });
  const parquet = await uploadBytes(account, inKeptChunks(LARGE, 65_536), sent({ sitemapName: 'parquet' }));
  expect(parquet).toMatchObject({
    urlCount: ROWS,
    fileCount: json.fileCount,
    dialect: {
      columns: [
        { member: 'loc', name: 'loc' },
        { member: 'lastmod', name: 'updated' },
      ],
      ignored: ['padding'],
      ignoredCount: 1,
    },
    warnings: ['1 column is ignored: padding.'],
  });
  const { rows } = await database.query(
    'SELECT count(DISTINCT etag)::integer AS contents, count(*)::integer AS files FROM sitemap_files WHERE upload_id = ANY($1)',
    [[json.uploadId, parquet.uploadId]],
  );
  expect(rows).toEqual([{ contents: json.fileCount, files: 2 * json.fileCount }]);
  expect((await keys()).filter((key) => key.includes('/body-'))).toEqual([]);
  expect(await garbage()).toEqual([]);
});

test('a refused upload leaves nothing, and names the row', async () => {
  const untouched = await before();
  const file = writeParquet([{ name: 'loc', data: [...locs, 'nothing'], schema: TEXT }]);
  const attempt = uploadBytes(account, inKeptChunks(file, 65_536), {
    head: { form: 'parquet', query: { domain: hostname } },
  });
  await expect(attempt).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    options: { details: { line: ROWS + 1, field: 'loc', value: 'nothing' } },
  });
  await expect.poll(before).toEqual(untouched);
});

test('a body that breaks leaves no piece', async () => {
  const untouched = await before();
  async function* broken() {
    yield* inKeptChunks(LARGE.subarray(0, PIECE_BYTES + 10), 65_536);
    throw new Error('connection lost');
  }
  await expect(uploadBytes(account, broken(), sent({}))).rejects.toThrow('connection lost');
  await expect.poll(before).toEqual(untouched);
});

test('a store that fails leaves the prefix to the sweep', async () => {
  const failing = { ...storageOf(), putNew: () => Promise.reject(new Error('disk full')) };
  const options = { database, storage: failing, newId, log: collectLog() };
  const known = await garbage();
  await expect(SpooledBody.take(options, inKeptChunks(LARGE, 65_536))).rejects.toThrow('disk full');
  const added = (await garbage()).filter((prefix) => !known.includes(prefix));
  expect(added).toEqual([expect.stringMatching(/^uploads\/upload_/)]);
  await database.query('DELETE FROM garbage WHERE prefix = ANY($1)', [added]);
});

test('a reader that stops early ends the thread, and leaves no piece', async () => {
  await using reader = new ParquetReader({ database, storage, newId, log: collectLog() });
  const untouched = await before();
  const read = () => reader.readerOf(account)(inKeptChunks(LARGE, 65_536), {}, {});
  const columns = [{ member: 'loc', name: 'loc' }];
  for await (const batch of reader.readerOf(account)(inKeptChunks(LARGE, 65_536), { columns }, {})) {
    expect(batch.ends.length).toBeGreaterThan(0);
    break;
  }
  await expect.poll(before).toEqual(untouched);
  await expect(read()[Symbol.asyncIterator]().next()).rejects.toThrow('updated: is not known here');
});

describe('parts of a session', () => {
  test('may be Parquet', async () => {
    const sessions = sessionsOf(fixture, account);
    const { id } = await sessions.open(hostname, {}, 'parts');
    const part = (n: number, name: string) =>
      sessions.partOf(id, n, 'parquet', writeParquet([{ name, data: locs.slice(n, n + 3), schema: TEXT }]));
    expect(await part(1, 'loc')).toMatchObject({ urlCount: 3, isNew: true });
    await expect(part(2, 'url')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await sessions.commit(id, { partCount: 1, urlCount: 3 })).toMatchObject({ urlCount: 3 });
  });
});

function storageOf() {
  return {
    get: storage.get.bind(storage),
    putNew: storage.putNew.bind(storage),
    deleteMany: storage.deleteMany.bind(storage),
  };
}
