/** The guard of a domain, and uploads that it holds back, over a real database. */
import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../src/features/sites/collect-garbage.ts';
import { evictUploads, listExcessUploads } from '../../src/features/sites/garbage-store.ts';
import { uploadPrefix } from '../../src/features/sites/site.ts';
import { findAttempt } from '../../src/features/uploads/attempt-store.ts';
import { expireHeldUploads } from '../../src/features/uploads/held-upload-store.ts';
import { discardHeldUpload } from '../../src/features/uploads/publishing/discard-held-upload.ts';
import { findGeneration } from '../../src/features/uploads/upload-store.ts';
import { insertEndpoint } from '../../src/features/webhooks/endpoint-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { inTransaction } from '../../src/platform/postgres/database.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { bulkyEntries, plainEntries } from './batches.ts';
import { createUploadFixture, DAY_MS } from './upload-fixture.ts';

const fixture = await createUploadFixture();
const { database, upload, publishHeld } = fixture;
const account = await addAccount(database);

/** Adds a domain with a sitemap. Its guard allows this many percent. */
async function guarded(maxRemovedPercent: number | null, urls = 1200) {
  const domain = await addVerifiedDomain(database, account);
  const { id, hostname } = domain;
  await database.query('UPDATE domains SET max_removed_percent = $2 WHERE id = $1', [id, maxRemovedPercent]);
  await upload(account, { domain: hostname, urls: plainEntries(urls) });
  const put = (count: number, members = {}, changed = {}) =>
    upload(account, { domain: hostname, urls: plainEntries(count), ...members }, changed);
  const liveUrls = async () => {
    const { rows } = await database.query(
      'SELECT url_count AS urls FROM sitemaps s JOIN uploads u ON u.id = s.upload_id WHERE s.domain_id = $1',
      [id],
    );
    return rows.map(({ urls }) => urls);
  };
  return { ...domain, put, liveUrls };
}

/** Makes an upload of `count` URLs that must be held. Returns its id. */
async function hold({ put }: Awaited<ReturnType<typeof guarded>>, count: number, members = {}) {
  const refusal = await put(count, members).then(
    () => undefined,
    (error) => error,
  );
  expect(refusal).toMatchObject({ code: 'CONFLICT' });
  return String(refusal.options.details.uploadId);
}

const discard = async (uploadId: string, of = account) =>
  discardHeldUpload(database, await fixture.uploaderOf(of), uploadId);

const NO_LONGER_HELD = { code: 'CONFLICT', message: expect.stringContaining('no longer kept') };

describe('the guard', () => {
  test('passes exactly its limit, and holds one URL more', async () => {
    const domain = await guarded(30);
    await domain.put(840);
    expect(await domain.liveUrls()).toEqual([840]);
    await domain.put(1200);
    await expect(domain.put(839)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(
        /remove 361 of the 1,200 URLs of the sitemap default, which is 30\.09 %/,
      ),
      options: {
        details: { removed: 361, former: 1200, percent: 30.09, generation: 3, uploadId: expect.any(String) },
      },
    });
    expect(await domain.liveUrls()).toEqual([1200]);
  });

  test('guards no sitemap of 1,000 URLs, and nothing when it is off', async () => {
    const small = await guarded(0, 1000);
    await small.put(1);
    const off = await guarded(null);
    await off.put(1);
    expect([await small.liveUrls(), await off.liveUrls()]).toEqual([[1], [1]]);
  });

  test('lets a forced upload pass', async () => {
    const domain = await guarded(0);
    await domain.put(1199, { force: true });
    expect(await domain.liveUrls()).toEqual([1199]);
  });

  test('is 50 % for a new domain', async () => {
    const domain = await addVerifiedDomain(database, account);
    expect(domain.maxRemovedPercent).toBe(50);
  });

  test('comes after the plan: what the plan refuses is not held', async () => {
    const domain = await guarded(0);
    await domain.put(0, { sitemapName: 'other', urls: bulkyEntries(1000) });
    const { rows: domains } = await database.query(
      'SELECT sum(stored_bytes)::bigint AS bytes FROM domains WHERE account_id = $1',
      [account],
    );
    // Fewer URLs, and more bytes.
    const attempt = domain.put(
      0,
      { urls: bulkyEntries(1000) },
      { allowance: { storedBytes: domains[0]!.bytes } },
    );
    await expect(attempt).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const { rows } = await database.query('SELECT id FROM held_uploads WHERE domain_id = $1', [domain.id]);
    expect(rows).toEqual([]);
  });
});

describe('a held upload', () => {
  test('is published without sending it again, and the same answer comes again', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100, { pingSearch: true });
    expect(await fixture.garbage()).toContain(uploadPrefix(id));
    await expect(publishHeld(account, id)).rejects.toMatchObject({
      code: 'CONFLICT',
      options: { details: { removed: 1100, former: 1200, uploadId: id } },
    });
    expect(await domain.liveUrls()).toEqual([1200]);

    const published = await publishHeld(account, id, { force: true });
    expect(published).toMatchObject({
      ...{ uploadId: id, urlCount: 100, fileCount: 1, isServed: true, pingSearch: true, dryRun: false },
      domain: { id: domain.id, hostname: domain.hostname },
    });
    expect(await domain.liveUrls()).toEqual([100]);
    expect(await fixture.garbage()).not.toContain(uploadPrefix(id));
    await domain.put(5);
    expect(await publishHeld(account, id)).toEqual(published);
    expect(await domain.liveUrls()).toEqual([5]);
  });

  test('is a recorded attempt when its answer comes, held and then published', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100);
    const held = { outcome: 'held', urlCount: 100, code: 'CONFLICT', message: expect.stringContaining(id) };
    expect(await findAttempt(database, account, id)).toMatchObject(held);
    await publishHeld(account, id, { force: true });
    const published = { outcome: 'published', urlCount: 100, seq: 2, code: null, message: null };
    expect(await findAttempt(database, account, id)).toMatchObject(published);
  });

  test('is discarded: its files go, its attempt says so, and it cannot be published any more', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100);
    await expect(discard(id, await addAccount(database))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await discard(id);
    expect(await findAttempt(database, account, id)).toMatchObject({
      ...{ outcome: 'abandoned', code: null, message: 'It was held, and then discarded.' },
    });
    await expect(publishHeld(account, id, { force: true })).rejects.toMatchObject(NO_LONGER_HELD);
    await discard(id);
    expect(await domain.liveUrls()).toEqual([1200]);
    const published = await hold(domain, 200);
    await publishHeld(account, published, { force: true });
    await expect(discard(published)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await domain.liveUrls()).toEqual([200]);
  });

  test('is either published or discarded, if both are asked for at once', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100);
    const [published, discarded] = await Promise.allSettled([
      publishHeld(account, id, { force: true }),
      discard(id),
    ]);
    expect([published.status, discarded.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(await domain.liveUrls()).toEqual([published.status === 'fulfilled' ? 100 : 1200]);
  });

  test('is published without force once the guard allows it', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100);
    await domain.put(1, { force: true });
    await publishHeld(account, id);
    expect(await domain.liveUrls()).toEqual([100]);
  });

  test('is published once by many requests at once', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => publishHeld(account, id, { force: true })),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const { rows } = await database.query('SELECT count(*) FROM uploads WHERE id = $1', [id]);
    expect(rows).toEqual([{ count: 1 }]);
  });

  test('belongs to its account, and its id is no secret', async () => {
    const id = await hold(await guarded(30), 100);
    const other = await addAccount(database);
    await expect(publishHeld(other, id, { force: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(publishHeld(account, 'upload_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('is judged by the plan again', async () => {
    const id = await hold(await guarded(30), 0, { urls: bulkyEntries(300) });
    const allowance = { storedBytes: 1 };
    await expect(publishHeld(account, id, { force: true }, { allowance })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await publishHeld(account, id, { force: true });
  });

  test('is not published for a caller who is no longer valid', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100);
    await database.query('UPDATE api_keys SET revoked_at = now() WHERE account_id = $1', [account]);
    await expect(publishHeld(account, id, { force: true })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await database.query('UPDATE api_keys SET revoked_at = NULL WHERE account_id = $1', [account]);
    expect(await domain.liveUrls()).toEqual([1200]);
  });

  test('ends with its domain', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100);
    await database.query('DELETE FROM domains WHERE id = $1', [domain.id]);
    await expect(publishHeld(account, id, { force: true })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has been deleted'),
    });
  });

  test('ends after a day: a minute before its files may be collected', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100);
    const setLeft = (left: string) =>
      database.query(`UPDATE garbage SET collect_after = now() + $2::interval WHERE prefix = $1`, [
        uploadPrefix(id),
        left,
      ]);
    const { rows } = await database.query(
      `SELECT collect_after - now() > interval '24 hours' AS day FROM garbage WHERE prefix = $1`,
      [uploadPrefix(id)],
    );
    expect(rows).toEqual([{ day: true }]);
    const attempt = () => findAttempt(database, account, id);
    await expireHeldUploads(database);
    expect(await attempt()).toMatchObject({ outcome: 'held' });
    await setLeft('59 seconds');
    await expireHeldUploads(database);
    const message = 'It was held, and not published in time.';
    expect(await attempt()).toMatchObject({ outcome: 'abandoned', code: null, message });
    await expect(publishHeld(account, id, { force: true })).rejects.toMatchObject(NO_LONGER_HELD);
    await setLeft('0 seconds');
    await collectGarbage({
      ...{ database, storage: fixture.storage, log: collectLog() },
      ...{ keepReplacedMs: DAY_MS, replacedBytes: {} },
    });
    expect(await fixture.keys(uploadPrefix(id))).toEqual([]);
    await expect(publishHeld(account, id, { force: true })).rejects.toMatchObject(NO_LONGER_HELD);
    await expireHeldUploads(database);
    await expect(publishHeld(account, id, { force: true })).rejects.toMatchObject(NO_LONGER_HELD);
    await database.query(`UPDATE held_uploads SET held_at = now() - interval '2 days' WHERE id = $1`, [id]);
    await expireHeldUploads(database);
    await expect(publishHeld(account, id, { force: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('counts for what its account may keep of replaced uploads', async () => {
    const id = await hold(await guarded(30), 100);
    const excess = await listExcessUploads(database, { id: account, allowedBytes: 0 }, 0);
    expect(excess).toContainEqual({ prefix: uploadPrefix(id), domainId: null, hostname: null });
  });

  test('that was published just before the oldest files of its account end stays a generation that is kept', async () => {
    const domain = await guarded(30);
    const id = await hold(domain, 100);
    const [held] = (await listExcessUploads(database, { id: account, allowedBytes: 0 }, 0)).filter(
      ({ prefix }) => prefix === uploadPrefix(id),
    );
    await publishHeld(account, id, { force: true });
    await inTransaction(database, (transaction) => evictUploads(transaction, [held!.prefix], DAY_MS));
    await domain.put(200);
    expect(await findGeneration(database, { domainId: domain.id, sitemapName: '', seq: 2 })).toMatchObject({
      ...{ id, isKept: true },
    });
  });

  test('leaves nothing but its files if it cannot be held, and is not lost if the answer is', async () => {
    const domain = await guarded(30);
    const before = { keys: await fixture.keys(), garbage: await fixture.garbage() };
    await database.query('ALTER TABLE held_uploads ADD CONSTRAINT broken CHECK (sitemap_name <> $$broken$$)');
    await domain.put(1200, { sitemapName: 'broken' });
    const published = { keys: await fixture.keys(), garbage: await fixture.garbage() };
    await expect(domain.put(100, { sitemapName: 'broken' })).rejects.toThrow('broken');
    await database.query('ALTER TABLE held_uploads DROP CONSTRAINT broken');
    expect({ keys: await fixture.keys(), garbage: await fixture.garbage() }).toEqual(published);
    expect(published.garbage).toEqual(before.garbage);
  });
});

test('holding an upload is an event, and publishing it is another', async () => {
  const domain = await guarded(50);
  const id = newId('webhook');
  const common = { accountId: account, url: 'https://www.example.com/', description: '', eventTypes: null };
  await insertEndpoint(database, { id, ...common });
  const uploadId = await hold(domain, 100);
  await publishHeld(account, uploadId, { force: true });
  const { rows } = await database.query('SELECT type, data FROM webhook_events ORDER BY created_at');
  const named = { domainId: domain.id, domain: domain.hostname, sitemapName: 'default', uploadId };
  const counts = { urlCount: 100, formerUrlCount: 1200, removed: 1100, percent: 91.67 };
  expect(rows).toEqual([
    {
      type: 'upload.held',
      data: { ...named, ...counts, heldUntil: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) },
    },
    { type: 'upload.published', data: expect.objectContaining({ ...named, urlCount: 100 }) },
  ]);
});
