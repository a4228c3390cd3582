/** Uploads that go on without their invalid entries, and dry runs, over a real database. */
import { afterAll, describe, expect, test } from 'vitest';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { evictExcess } from '../../src/features/sites/evict-excess.ts';
import { rejectsKey } from '../../src/features/sites/rejects.ts';
import { Rejects } from '../../src/features/uploads/rejects.ts';
import { findRejects } from '../../src/features/uploads/rejects-store.ts';
import { createRenderPool } from '../../src/features/uploads/render-pool.ts';
import { readLineParts } from '../../src/platform/gzip/line-parts.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collect } from '../support/collect.ts';
import { collectLog } from '../support/collect-log.ts';
import { plainEntries } from './batches.ts';
import { createUploadFixture, DAY_MS } from './upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, storage } = fixture;
const account = await addAccount(database);
const pool = createRenderPool({ threads: 3, transcodes: true, hashSeed: 1n, log: collectLog() });
afterAll(() => pool[Symbol.asyncDispose]());
const { hostname } = await addVerifiedDomain(database, account);

const upload = (members: object, urls: readonly object[], allowance = {}) =>
  fixture.upload(account, { domain: hostname, force: true, ...members, urls }, { pool, allowance });

async function rejectsOf(uploadId: string) {
  const list = await findRejects(database, account, uploadId);
  if (list === undefined) return undefined;
  const parts = await collect(readLineParts(storage, (n) => rejectsKey(list.prefix, n), list.parts));
  return Buffer.concat(parts)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Some batches take much longer than others: their entries have a hundred images. */
function entriesWith(isInvalid: (i: number) => boolean, count: number): object[] {
  const images = Array.from({ length: 100 }, (_, i) => ({ loc: `https://example.com/i/${i}` }));
  return plainEntries(count).map((entry, i) => {
    if (isInvalid(i)) return { ...entry, priority: 7 };
    return Math.floor(i / 500) % 3 === 0 && i % 5 === 0 ? { ...entry, images } : entry;
  });
}

const live = async () => (await database.query('SELECT * FROM sitemaps ORDER BY name')).rows;

describe('onInvalid: skip', () => {
  test('publishes the others, and lists the rejected ones in order, whichever thread is first', async () => {
    const isInvalid = (i: number) => i % 97 === 5 || (i > 9000 && i % 2 === 0);
    const urls = entriesWith(isInvalid, 20_000);
    const invalid = urls.flatMap((_, i) => (isInvalid(i) ? [i] : []));
    const accepted = await upload({ onInvalid: 'skip', maxRejectedPercent: 100 }, urls);
    expect(accepted).toMatchObject({
      urlCount: 20_000 - invalid.length,
      rejected: invalid.length,
      dryRun: false,
    });
    expect(await rejectsOf(accepted.uploadId)).toEqual(
      invalid.map((index) => ({
        index,
        field: `urls[${index}].priority`,
        value: 7,
        message: 'must be a number from 0 to 1',
      })),
    );
  });

  test('lists at most 100,000 violations, and counts all', async () => {
    const urls = Array.from({ length: 105_000 }, () => ({ loc: 'x' }));
    const accepted = await upload({ onInvalid: 'skip', maxRejectedPercent: 100 }, [
      ...urls,
      ...plainEntries(1),
    ]);
    expect(accepted).toMatchObject({ urlCount: 1, rejected: 105_000 });
    const lines = (await rejectsOf(accepted.uploadId))!;
    expect(lines.map(({ index }) => index)).toEqual(Array.from({ length: 100_000 }, (_, i) => i));
  });

  test('lists every violation of an entry, which counts once', async () => {
    const accepted = await upload({ onInvalid: 'skip', maxRejected: 1 }, [
      { loc: 'x', priority: 2 },
      ...plainEntries(1),
    ]);
    expect(accepted.rejected).toBe(1);
    expect(await rejectsOf(accepted.uploadId)).toMatchObject([
      { index: 0, field: 'urls[0].loc' },
      { index: 0, field: 'urls[0].priority' },
    ]);
  });

  test('has no list without invalid entries', async () => {
    const accepted = await upload({ onInvalid: 'skip' }, plainEntries(3));
    expect(accepted.rejected).toBe(0);
    expect(await rejectsOf(accepted.uploadId)).toBeUndefined();
    expect(await upload({}, plainEntries(3))).toMatchObject({ rejected: undefined });
  });

  test.each<[string, object, number, number, boolean]>([
    ['rejects nothing without a threshold', {}, 10, 1, false],
    ['takes maxRejected', { maxRejected: 3 }, 10, 3, true],
    ['refuses one more', { maxRejected: 3 }, 10, 4, false],
    ['takes maxRejectedPercent', { maxRejectedPercent: 7 }, 10_000, 700, true],
    ['refuses one entry more', { maxRejectedPercent: 7 }, 10_000, 701, false],
    ['compares fractions exactly', { maxRejectedPercent: 0.57 }, 10_000, 57, true],
    ['needs both', { maxRejected: 1, maxRejectedPercent: 100 }, 10, 2, false],
    ['needs one that is valid', { maxRejectedPercent: 100 }, 10, 10, false],
  ])('%s', async (_, members, count, invalid, isTaken) => {
    const urls = entriesWith((i) => i < invalid, count);
    const before = await live();
    const attempt = upload({ onInvalid: 'skip', ...members }, urls);
    if (isTaken) {
      expect(await attempt).toMatchObject({ urlCount: count - invalid, rejected: invalid });
      return;
    }
    const error = await attempt.catch((refusal) => refusal);
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^urls: .* The first: urls\[0\]\.priority: must be/),
      options: { details: { field: 'urls', value: null, rejected: invalid, errorCount: invalid } },
    });
    const { uploadId, rejectsUrl } = error.options.details;
    expect(rejectsUrl).toBe(`/api/uploads/${uploadId}/rejects`);
    expect(await rejectsOf(uploadId)).toHaveLength(invalid);
    expect(await live()).toEqual(before);
  });

  test('refuses too many at once, without the rest of the body', async () => {
    let asked = 0;
    async function* body() {
      yield Buffer.from(`{"domain":"${hostname}","onInvalid":"skip","maxRejected":10,"urls":[`);
      for (; asked < 10_000; asked++) yield Buffer.from('{"loc":"x"},'.repeat(1000));
    }
    await expect(fixture.uploadBytes(account, body())).rejects.toMatchObject({
      options: { details: { field: 'urls' } },
    });
    expect(asked).toBeLessThan(100);
  });

  test('refuses a percentage early if the number of entries is known', async () => {
    let asked = 0;
    async function* body() {
      const members = '"onInvalid":"skip","maxRejectedPercent":1,"expectedUrlCount":100000';
      yield Buffer.from(`{"domain":"${hostname}",${members},"urls":[`);
      for (; asked < 10_000; asked++) yield Buffer.from('{"loc":"x"},'.repeat(1000));
    }
    await expect(fixture.uploadBytes(account, body())).rejects.toMatchObject({
      options: { details: { field: 'urls' } },
    });
    expect(asked).toBeLessThan(100);
  });

  test('what is not JSON ends it, and what was listed is collected', async () => {
    const garbage = await fixture.garbage();
    const body = `{"domain":"${hostname}","onInvalid":"skip","maxRejectedPercent":100,"urls":[${'{"loc":"x"},'.repeat(60_000)}nonsense]}`;
    await expect(fixture.upload(account, body)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const left = (await fixture.garbage()).filter((prefix) => !garbage.includes(prefix));
    expect(left).toEqual([expect.stringMatching(new RegExp(`^rejects/${account}/upload_\\w+/$`))]);
    expect(await fixture.keys(left[0]!)).not.toEqual([]);
    await database.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', left);
    const gone = { keepReplacedMs: DAY_MS, replacedBytes: {} };
    await collectGarbage({ database, storage, log: collectLog(), ...gone });
    expect(await fixture.keys(left[0]!)).toEqual([]);
  });

  test('a list ends with its objects', async () => {
    const { uploadId } = await upload({ onInvalid: 'skip', maxRejected: 1 }, [{}, ...plainEntries(1)]);
    const { prefix } = (await findRejects(database, account, uploadId))!;
    expect(await findRejects(database, await addAccount(database), uploadId)).toBeUndefined();
    await database.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', [prefix]);
    const gone = { keepReplacedMs: DAY_MS, replacedBytes: {} };
    await collectGarbage({ database, storage, log: collectLog(), ...gone });
    expect(await findRejects(database, account, uploadId)).toBeUndefined();
    expect(await fixture.keys(prefix)).toEqual([]);
  });
});

test('a list has the lines of forms that have lines', async () => {
  const rejects = new Rejects({ database, storage }, account, 'upload_lines');
  const message = 'must be an absolute URL';
  await rejects.add([{ field: 'loc', value: 'x', message, line: 17, index: 15 }]);
  await rejects.keep('upload_lines');
  expect(await rejectsOf('upload_lines')).toEqual([
    { line: 17, index: 15, field: 'loc', value: 'x', message },
  ]);
});

test('a list counts for what its account may keep of replaced uploads', async () => {
  const owner = await addAccount(database);
  const domain = await addVerifiedDomain(database, owner);
  const urls = [{}, ...plainEntries(1)];
  const body = { domain: domain.hostname, onInvalid: 'skip', maxRejected: 1, urls };
  const { uploadId } = await fixture.upload(owner, body);
  const { prefix } = (await findRejects(database, owner, uploadId))!;
  await evictExcess({ database, replacedBytes: { business: 0 } });
  const { rows } = await database.query(
    `SELECT collect_after < now() + interval '6 minutes' AS soon, bytes > 0 AS counted FROM garbage WHERE prefix = $1`,
    [prefix],
  );
  expect(rows).toEqual([{ soon: true, counted: true }]);
});

describe('expectedUrlCount', () => {
  test('is that of the entries that are sent, the rejected ones too', async () => {
    const urls = entriesWith((i) => i === 4, 10);
    const members = { onInvalid: 'skip', maxRejected: 1, expectedUrlCount: 10 };
    expect(await upload(members, urls)).toMatchObject({ urlCount: 9, rejected: 1 });
  });

  test.each([9, 11])('refuses 10 entries if %d were announced', async (expectedUrlCount) => {
    const before = await live();
    for (const body of [
      { domain: hostname, expectedUrlCount, urls: plainEntries(10) },
      { domain: hostname, urls: plainEntries(10), expectedUrlCount },
    ]) {
      await expect(fixture.upload(account, body)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        options: { details: { field: 'expectedUrlCount', value: expectedUrlCount, urlCount: 10 } },
      });
    }
    expect(await live()).toEqual(before);
  });

  test('refuses more at once, without the rest of the body', async () => {
    let asked = 0;
    async function* body() {
      yield Buffer.from(`{"domain":"${hostname}","expectedUrlCount":7000,"urls":[`);
      for (; asked < 10_000; asked++) yield Buffer.from('{"loc":"https://example.com/"},'.repeat(1000));
    }
    await expect(fixture.uploadBytes(account, body())).rejects.toMatchObject({
      message: expect.stringContaining('or more'),
      options: { details: { field: 'expectedUrlCount', value: 7000 } },
    });
    expect(asked).toBeLessThan(100);
  });
});

describe('dryRun', () => {
  const everything = async () => ({
    keys: (await fixture.keys()).filter((key) => !key.startsWith('rejects/')),
    garbage: (await fixture.garbage()).filter((prefix) => !prefix.startsWith('rejects/')),
    uploads: (await database.query('SELECT * FROM uploads ORDER BY id')).rows,
    domains: (await database.query('SELECT * FROM domains ORDER BY id')).rows,
    sitemaps: await live(),
    held: (await database.query('SELECT id FROM held_uploads')).rows,
  });

  test.each([
    ['before', 1000],
    ['behind', 1000],
  ])('says what would be, and changes nothing, with sizeLimit %s urls', async (where, count) => {
    const before = await everything();
    const sizeLimit = { sizeLimit: 'gsc-optimized' };
    const members = { domain: hostname, dryRun: true, sitemapName: 'tried' };
    const urls = plainEntries(2 * count + 1);
    const body = where === 'before' ? { ...members, ...sizeLimit, urls } : { ...members, urls, ...sizeLimit };
    expect(await fixture.upload(account, body)).toMatchObject({
      ...{ dryRun: true, urlCount: 2001, fileCount: 3, rejected: 0, isServed: true, sitemapName: 'tried' },
    });
    expect(await everything()).toEqual(before);
  });

  test('counts as the upload does that follows', async () => {
    const urls = entriesWith(() => false, 3000);
    const tried = await upload({ dryRun: true, sitemapName: 'same' }, urls);
    const { gzipBytes, bytes, fileCount } = await upload({ sitemapName: 'same' }, urls);
    expect(tried).toMatchObject({ gzipBytes, bytes, fileCount });
  });

  test('counts all violations of the whole upload', async () => {
    const before = await everything();
    const urls = entriesWith((i) => i % 100 === 3, 30_000);
    const error = await upload({ dryRun: true }, urls).catch((refusal) => refusal);
    expect(error).toMatchObject({
      message: 'urls[3].priority: must be a number from 0 to 1',
      options: { details: { field: 'urls[3].priority', value: 7, errorCount: 300, rejected: 300 } },
    });
    expect(error.options.details.errors).toHaveLength(100);
    expect(await rejectsOf(error.options.details.uploadId)).toHaveLength(300);
    const tolerant = { dryRun: true, onInvalid: 'skip', maxRejectedPercent: 1 };
    expect(await upload(tolerant, urls)).toMatchObject({ rejected: 300, urlCount: 29_700, dryRun: true });
    await expect(upload({ ...tolerant, maxRejected: 299 }, urls)).rejects.toMatchObject({
      options: { details: { field: 'urls', rejected: 300, errorCount: 300 } },
    });
    expect(await everything()).toEqual(before);
  });

  test('is refused for what the upload would be refused for, and holds nothing', async () => {
    const name = { sitemapName: 'guarded' };
    await upload(name, plainEntries(1200));
    const before = await everything();
    const dry = { ...name, dryRun: true, force: false };
    const guard = await upload(dry, plainEntries(10)).catch((refusal) => refusal);
    expect(guard).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('"force": true') });
    expect(guard.options.details).toEqual({ removed: 1190, former: 1200, percent: 99.17, generation: 1 });
    expect(await upload({ ...dry, force: true }, plainEntries(10))).toMatchObject({ urlCount: 10 });
    await expect(upload({ ...dry, expectedUrlCount: 9 }, plainEntries(10))).rejects.toMatchObject({
      options: { details: { field: 'expectedUrlCount', urlCount: 10 } },
    });
    for (const allowance of [{ storedBytes: 500 }, { sitemapsPerDomain: 0 }, { urlsPerUpload: 9 }]) {
      const asNew = { ...dry, sitemapName: 'new' };
      await expect(upload(asNew, plainEntries(10), allowance)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
    expect(await everything()).toEqual(before);
  });
});
