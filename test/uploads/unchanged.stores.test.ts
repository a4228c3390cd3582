/** An upload with the entries of the live generation publishes nothing (docs/decisions/0053). */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Domain } from '../../src/features/domains/domain.ts';
import { findAttempt } from '../../src/features/uploads/attempt-store.ts';
import { insertEndpoint } from '../../src/features/webhooks/endpoint-store.ts';
import type { EventType } from '../../src/features/webhooks/events.ts';
import { newId } from '../../src/platform/ids.ts';
import { addAccount, addVerifiedDomain } from '../support/accounts.ts';
import { createUploadFixture } from './upload-fixture.ts';

const { database, upload, publishHeld, clock, keys, garbage } = await createUploadFixture({
  seesUnchanged: true,
});
const HOUR_MS = 3_600_000;

let accountId: string;
let domain: Domain;

beforeEach(async () => {
  accountId = await addAccount(database);
  domain = await addVerifiedDomain(database, accountId);
});

const locs = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ loc: `https://www.example.com/${i}` }));
const send = (urls: readonly object[], members: object = {}) =>
  upload(accountId, { domain: domain.hostname, ...members, urls });

/** All that a crawler can see of the domain, by its rows. */
async function published() {
  const { rows } = await database.query(
    `SELECT s.name, u.id, u.seq, f.n, f.etag, f.last_modified
       FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
       JOIN sitemap_files f ON f.domain_id = s.domain_id AND f.sitemap_name = s.name AND f.to_seq IS NULL
      WHERE s.domain_id = $1 ORDER BY s.name, f.n`,
    [domain.id],
  );
  return rows;
}

/** A few files, of which each has another fate than a small one. */
const SIZES = [
  ['one small file', 10, {}],
  ['one stored file', 3000, {}],
  ['several files', 2500, { sizeLimit: 'gsc-optimized' }],
] as const;

describe.each(SIZES)('%s', (_, count, members) => {
  test('in another order, at another time, changes nothing and leaves no object', async () => {
    const first = await send(locs(count), members);
    expect(first).toMatchObject({ isUnchanged: false, generation: 1, filesChanged: first.fileCount });
    const before = [await published(), await keys('uploads/'), await garbage()];
    clock.now = new Date(clock.now.getTime() + HOUR_MS);
    const again = await send(locs(count).reverse(), members);
    expect(again).toMatchObject({ isUnchanged: true, generation: 1, filesChanged: 0, urlCount: count });
    expect(again.uploadId).not.toBe(first.uploadId);
    expect(await published()).toEqual(before[0]);
    expect((await keys('uploads/')).filter((key) => key.includes(again.uploadId))).toEqual([]);
    expect((await garbage()).filter((prefix) => prefix.includes(again.uploadId))).toEqual([]);
  });

  test.each([
    ['a URL less', (urls: readonly object[]) => urls.slice(1)],
    ['one repeated in place of another', (urls: readonly object[]) => [urls[0]!, ...urls.slice(0, -1)]],
    [
      'another lastmod',
      (urls: readonly object[]) => [{ ...urls[0]!, lastmod: '2026-01-15' }, ...urls.slice(1)],
    ],
  ])('with %s, it is published', async (_, change) => {
    await send(locs(count), members);
    expect(await send(change(locs(count)), members)).toMatchObject({ isUnchanged: false, generation: 2 });
    expect(await send(locs(count), members)).toMatchObject({ isUnchanged: false, generation: 3 });
  });

  test('with force, it is published, and its files keep their times', async () => {
    await send(locs(count), members);
    const before = await published();
    const forced = await send(locs(count), { ...members, force: true });
    expect(forced).toMatchObject({ isUnchanged: false, generation: 2, filesChanged: 0 });
    const files = (rows: Awaited<ReturnType<typeof published>>) =>
      rows.map(({ etag, last_modified }) => ({ etag, last_modified }));
    expect(files(await published())).toEqual(files(before));
  });

  test('a dry run says so, and records no generation', async () => {
    await send(locs(count), members);
    expect(await send(locs(count).reverse(), { ...members, dryRun: true })).toMatchObject({
      isUnchanged: true,
      dryRun: true,
      filesChanged: 0,
    });
    expect(await outcomes()).toEqual(['published']);
  });
});

const outcomes = async () =>
  (
    await database.query('SELECT outcome FROM attempts WHERE domain_id = $1 ORDER BY ended_at, id', [
      domain.id,
    ])
  ).rows.map(({ outcome }) => outcome);

test('the form and the spelling of entries mean nothing', async () => {
  await send([{ loc: 'https://www.example.com/a&b', priority: 0.5 }]);
  const lines = { form: 'ndjson', query: { domain: domain.hostname } } as const;
  const line = `{"priority":5e-1,"loc":"https://www.example.com/\\u0061&b"}\n`;
  expect(await upload(accountId, line, { head: lines })).toMatchObject({ isUnchanged: true });
});

test('another sizeLimit publishes if there are several files, and only then', async () => {
  await send(locs(10), { sizeLimit: 'gsc-optimized' });
  expect(await send(locs(10), { sizeLimit: 'balanced' })).toMatchObject({ isUnchanged: true });
  await send(locs(20_001), { sitemapName: 'many', sizeLimit: 'gsc-optimized' });
  const other = await send(locs(20_001), { sitemapName: 'many', sizeLimit: 'balanced' });
  expect(other).toMatchObject({ isUnchanged: false, generation: 2, fileCount: 3 });
});

test('ifGeneration is checked first', async () => {
  await send(locs(3));
  await expect(send(locs(3), { ifGeneration: 7 })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await send(locs(3), { ifGeneration: 1 })).toMatchObject({ isUnchanged: true });
});

test('a row without a digest, of an older version, equals nothing', async () => {
  await send(locs(3));
  await database.query('UPDATE uploads SET digest = NULL WHERE domain_id = $1', [domain.id]);
  expect(await send(locs(3))).toMatchObject({ isUnchanged: false, generation: 2 });
});

test('another version of the XML publishes', async () => {
  await send(locs(3));
  await database.query('UPDATE uploads SET xml_version = xml_version + 1 WHERE domain_id = $1', [domain.id]);
  expect(await send(locs(3))).toMatchObject({ isUnchanged: false, generation: 2 });
});

test('a held upload is no change if the live one has become the same meanwhile', async () => {
  await send(locs(2000));
  await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [domain.id]);
  const refusal = await send(locs(1000)).then(
    () => undefined,
    (error) => error,
  );
  const { heldUploadId } = refusal;
  expect(heldUploadId).toBeDefined();
  await send(locs(1000).reverse(), { force: true });
  expect(await publishHeld(accountId, heldUploadId, { force: false })).toMatchObject({
    isUnchanged: true,
    generation: 2,
  });
  expect(await findAttempt(database, accountId, heldUploadId)).toMatchObject({
    ...{ outcome: 'unchanged', seq: 2, code: null, message: null },
  });
});

test('many at once, with one other list among them, end as one after the other would', async () => {
  await send(locs(5));
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, i) => send(i === 7 ? locs(6) : i > 14 ? locs(6).reverse() : locs(5))),
  );
  const generations = all.filter(({ isUnchanged }) => !isUnchanged).map(({ generation }) => generation);
  expect(generations.sort((a, b) => a - b)).toEqual(Array.from(generations, (_, i) => i + 2));
  const [{ seq }] = await published();
  expect(seq).toBe(generations.length + 1);
});

test('the attempt is recorded, and the sitemap confirmed', async () => {
  await send(locs(3));
  const confirmed = async () =>
    (await database.query('SELECT confirmed_at FROM sitemaps WHERE domain_id = $1', [domain.id])).rows[0]
      .confirmed_at;
  expect(await confirmed()).toBeNull();
  await send(locs(3));
  expect(await outcomes()).toEqual(['published', 'unchanged']);
  expect(await confirmed()).not.toBeNull();
});

test('only webhooks that choose the event hear of it', async () => {
  const add = (eventTypes: readonly EventType[] | null) =>
    insertEndpoint(database, {
      ...{ id: newId('webhook'), accountId, url: 'https://hooks.example.com/', description: '', eventTypes },
    });
  await add(null);
  await send(locs(3));
  await send(locs(3));
  expect(await events()).toEqual(['upload.published']);
  await add(['upload.unchanged']);
  await send(locs(3));
  expect(await events()).toEqual(['upload.published', 'upload.unchanged']);
});

const events = async () =>
  (
    await database.query('SELECT type FROM webhook_events WHERE account_id = $1 ORDER BY created_at', [
      accountId,
    ])
  ).rows.map(({ type }) => type);
