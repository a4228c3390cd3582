/** Deltas that come at once are published together, as if they were published one after the other. */
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReadUploadFile } from '../../../src/features/sites/read-upload-file.ts';
import { fileHashesKey, uploadFileKey } from '../../../src/features/sites/site.ts';
import type { Delta } from '../../../src/features/uploads/deltas/delta.ts';
import { createPublishDelta } from '../../../src/features/uploads/deltas/delta-groups.ts';
import { Refusal } from '../../../src/platform/refusal.ts';
import { addAccount, addServedDomain } from '../../support/accounts.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { bulkyEntries } from '../batches.ts';
import { createUploadFixture } from '../upload-fixture.ts';

const fixture = await createUploadFixture({ seesUnchanged: true, placement: 'stable' });
const { database, storage } = fixture;
const account = await addAccount(database);
const ALL = bulkyEntries(3000);

async function newDomain(entries: readonly object[]) {
  const domain = await addServedDomain(database, account);
  await fixture.upload(account, { domain: domain.hostname, sizeLimit: 'gsc-optimized', urls: entries });
  return domain;
}

async function publishedIn({ id }: { readonly id: string }): Promise<string[]> {
  const { rows } = await database.query<{ upload_id: string; upload_n: number }>(
    'SELECT upload_id, upload_n FROM sitemap_files WHERE domain_id = $1 AND to_seq IS NULL ORDER BY n',
    [id],
  );
  const read = createReadUploadFile(fixture, [...new Set(rows.map(({ upload_id }) => upload_id))]);
  const texts = await Promise.all(
    rows.map(async ({ upload_id, upload_n }) => gunzipSync((await read(upload_id, upload_n))!).toString()),
  );
  return texts.flatMap((xml) => [...xml.matchAll(/<url>.*?<\/url>/g)].map(([entry]) => entry)).sort();
}

const outcomeOf = (publishing: Promise<{ counts: object; urlCount: number }>) =>
  publishing.then(
    ({ counts }) => ({ counts }),
    (error) => {
      if (!(error instanceof Refusal)) throw error;
      return { refused: error.code };
    },
  );

test('a group leaves and answers what its members would one after the other', async () => {
  const url = fc.nat(40).map((i) => ALL[i * 60]!.loc);
  const member = (ifGeneration: readonly (number | undefined)[]) =>
    fc.record({
      upsert: fc.array(fc.record({ loc: url, priority: fc.constantFrom(0.1, 0.5) }), { maxLength: 3 }),
      remove: fc.array(url, { maxLength: 3 }),
      onMissing: fc.constantFrom('ignore', 'ignore', 'ignore', 'fail'),
      ifGeneration: fc.constantFrom(...ifGeneration),
    });
  const valid = (...ifGeneration: (number | undefined)[]) =>
    member(ifGeneration)
      .map(({ upsert, remove, ...terms }) => {
        const named = new Set(upsert.map(({ loc }) => loc));
        return { upsert, remove: remove.filter((loc) => !named.has(loc)), ...terms };
      })
      .filter(({ upsert, remove }) => upsert.length + remove.length > 0);
  const lengths = { minLength: 2, maxLength: 8 };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        { arbitrary: fc.array(valid(undefined), lengths), weight: 4 },
        fc.array(valid(undefined, undefined, 1), lengths),
      ),
      fc.constantFrom(30, 2400),
      async (members, size) => {
        const entries = size === 30 ? ALL.filter((_, i) => i % 80 === 0) : ALL.slice(0, size);
        const [together, alone] = [await newDomain(entries), await newDomain(entries)];
        const deltas: Delta[] = [];
        for (const one of members) {
          deltas.push(await fixture.readDelta(account, { domain: together.hostname, ...one }));
        }
        const publish = createPublishDelta({ ...fixture.options, bytesPerMinute: 1e12 });
        const grouped = await Promise.all(deltas.map((delta) => outcomeOf(publish(delta))));
        const single: object[] = [];
        for (const one of members) {
          single.push(await outcomeOf(fixture.delta(account, { domain: alone.hostname, ...one })));
        }
        const other = grouped.findIndex((outcome, i) => !isDeepStrictEqual(outcome, single[i]));
        // Members that undo each other make no generation as a group. Then the next condition holds, although it fails after each of them.
        if (members[other]?.ifGeneration !== undefined) {
          expect(single[other]).toEqual({ refused: 'CONFLICT' });
          const undone = await newDomain(entries);
          for (const one of members.slice(0, other)) {
            await outcomeOf(fixture.delta(account, { domain: undone.hostname, ...one }));
          }
          expect(await publishedIn(undone)).toEqual(await publishedIn(await newDomain(entries)));
          return;
        }
        expect(grouped).toEqual(single);
        expect(await publishedIn(together)).toEqual(await publishedIn(alone));
      },
    ),
    { numRuns: PROPERTY_RUNS / 5 },
  );
});

test('deltas that come at once are few generations, and each is recorded', async () => {
  const domain = await newDomain(ALL);
  const deltas = await Promise.all(
    ALL.slice(0, 30).map(({ loc }) =>
      fixture.readDelta(account, { domain: domain.hostname, upsert: [{ loc, priority: 0.3 }] }),
    ),
  );
  const publish = createPublishDelta({ ...fixture.options, bytesPerMinute: 1e12 });
  const published = await Promise.all(deltas.map(publish));
  expect(published.map(({ counts }) => counts.changed)).toEqual(deltas.map(() => 1));
  const { rows } = await database.query(
    "SELECT seq FROM uploads WHERE domain_id = $1 AND kind = 'delta' ORDER BY seq",
    [domain.id],
  );
  expect(rows).toEqual([{ seq: 2 }]);
  const attempts = await database.query(
    "SELECT DISTINCT outcome, seq FROM attempts WHERE domain_id = $1 AND id LIKE 'delta_%'",
    [domain.id],
  );
  expect(attempts.rows).toEqual([{ outcome: 'published', seq: 2 }]);
  expect(attempts.rowCount).toBe(1);
});

test('one refused delta among many costs a few generations', async () => {
  const domain = await newDomain(ALL.slice(0, 100));
  const deltas = await Promise.all(
    ALL.slice(0, 32).map(({ loc }) =>
      fixture.readDelta(account, { domain: domain.hostname, upsert: [{ loc, priority: 0.3 }] }),
    ),
  );
  const revoked = { ...deltas[7]!, uploader: { ...deltas[7]!.uploader, keyId: 'key_gone' } };
  const publish = createPublishDelta({ ...fixture.options, bytesPerMinute: 1e12 });
  const outcomes = await Promise.all(deltas.with(7, revoked).map((delta) => outcomeOf(publish(delta))));
  expect(outcomes.map((outcome) => 'refused' in outcome)).toEqual(deltas.map((_, i) => i === 7));
  const { rowCount } = await database.query("SELECT FROM uploads WHERE domain_id = $1 AND kind = 'delta'", [
    domain.id,
  ]);
  // Groups of 4, 2, 1, 8 and 16.
  expect(rowCount).toBe(5);
});

test('a revoked key, and a request that lost its key to another one, are refused alone', async () => {
  const domain = await newDomain(ALL.slice(0, 10));
  const deltas = await Promise.all(
    [0, 1, 2, 3].map((i) =>
      fixture.readDelta(account, { domain: domain.hostname, upsert: [{ loc: ALL[i]!.loc, priority: 0.3 }] }),
    ),
  );
  const revoked = { ...deltas[1]!, uploader: { ...deltas[1]!.uploader, keyId: 'key_gone' } };
  const late = {
    ...deltas[2]!,
    onPublished: async () => {
      throw new Refusal('CONFLICT', 'Another request has taken over.');
    },
  };
  const publish = createPublishDelta({ ...fixture.options, bytesPerMinute: 1e12 });
  const outcomes = await Promise.all(
    [deltas[0]!, revoked, late, deltas[3]!].map((delta) => outcomeOf(publish(delta))),
  );
  expect(outcomes).toMatchObject([
    { counts: { changed: 1 } },
    { refused: 'UNAUTHORIZED' },
    { refused: 'CONFLICT' },
    { counts: { changed: 1 } },
  ]);
  expect((await publishedIn(domain)).filter((entry) => entry.includes('0.3'))).toHaveLength(2);
});

test('lost hashes are no obstacle, and a lost file fails only those that need it', async () => {
  const large = bulkyEntries(24_000);
  const domain = await addServedDomain(database, account);
  await fixture.upload(account, { domain: domain.hostname, sizeLimit: 'balanced', urls: large });
  const { rows } = await database.query<{ upload_id: string }>(
    'SELECT upload_id FROM sitemap_files WHERE domain_id = $1 AND n = 1',
    [domain.id],
  );
  const id = rows[0]!.upload_id;
  expect(await fixture.keys(fileHashesKey(id, 1))).toHaveLength(1);
  const change = (i: number, priority: number) =>
    fixture.readDelta(account, { domain: domain.hostname, upsert: [{ loc: large[i]!.loc, priority }] });
  const publish = createPublishDelta({ ...fixture.options, bytesPerMinute: 1e12 });
  await storage.deleteMany([fileHashesKey(id, 1)]);
  expect(await publish(await change(5, 0.2))).toMatchObject({ counts: { changed: 1 }, filesChanged: 1 });
  await storage.deleteMany([uploadFileKey(id, 2)]);
  const outcomes = await Promise.allSettled(
    [await change(6, 0.2), await change(10_005, 0.2), await change(7, 0.2)].map(publish),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({
    reason: { code: 'CONFLICT', message: expect.stringContaining('missing or damaged') },
  });
  // What the refusal says repairs the sitemap.
  const whole = { domain: domain.hostname, sizeLimit: 'balanced', urls: large };
  await fixture.upload(account, { ...whole, placement: 'order', force: true });
  expect(await publish(await change(10_005, 0.2))).toMatchObject({ counts: { changed: 1 } });
});

test('deltas are applied to the generation that came first', async () => {
  const domain = await newDomain(ALL.slice(0, 20));
  let interrupted = 0;
  const openDeltaRecord: (typeof fixture.options)['openDeltaRecord'] = async (delta) => {
    interrupted++;
    // Another process publishes an upload meanwhile, and then another one.
    if (interrupted < 3) {
      const urls = ALL.slice(interrupted, 20);
      await fixture.upload(account, { domain: domain.hostname, sizeLimit: 'gsc-optimized', urls });
    }
    return fixture.options.openDeltaRecord(delta);
  };
  const body = { domain: domain.hostname, upsert: [ALL[100]], remove: [ALL[1]!.loc] };
  const delta = await fixture.delta(account, body, { openDeltaRecord });
  expect(interrupted).toBe(3);
  expect(delta).toMatchObject({ generation: 4, urlCount: 19, counts: { added: 1, removed: 0, missing: 1 } });
});

test('a delta that others overtake again and again holds them away', async () => {
  const domain = await newDomain(ALL.slice(0, 20));
  const isHeld = async () => {
    const { rows } = await database.query<{ held: boolean | null }>(
      'SELECT placing_until > now() AS held FROM sitemaps WHERE domain_id = $1',
      [domain.id],
    );
    return rows[0]!.held ?? false;
  };
  const held: boolean[] = [];
  let last: Promise<{ generation: number }> | undefined;
  const openDeltaRecord: (typeof fixture.options)['openDeltaRecord'] = async (delta) => {
    held.push(await isHeld());
    // Another process has a delta, too.
    last = fixture.delta(account, { domain: domain.hostname, upsert: [ALL[200 + held.length]] });
    if (held.length < 5) await last;
    return fixture.options.openDeltaRecord(delta);
  };
  const body = { domain: domain.hostname, upsert: [ALL[100]] };
  expect(await fixture.delta(account, body, { openDeltaRecord })).toMatchObject({ generation: 6 });
  expect(held).toEqual([false, false, false, false, true]);
  expect(await last).toMatchObject({ generation: 7 });
  expect(await isHeld()).toBe(false);
});

test('a group that a busy sitemap refuses is not done again member by member', async () => {
  const domain = await newDomain(ALL.slice(0, 20));
  let looks = 0;
  const generationFiles = {
    ...fixture.options.generationFiles,
    // As if another generation came first each time.
    list: async () => void looks++,
  } as unknown as (typeof fixture.options)['generationFiles'];
  const deltas = await Promise.all(
    [100, 101, 102].map((i) => fixture.readDelta(account, { domain: domain.hostname, upsert: [ALL[i]] })),
  );
  const publish = createPublishDelta({ ...fixture.options, generationFiles, bytesPerMinute: 1e12 });
  const outcomes = await Promise.allSettled(deltas.map(publish));
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } });
  expect(looks).toBe(8);
});

test('deltas wait while an upload is placed', async () => {
  const domain = await newDomain(ALL.slice(0, 20));
  // The time of a publication is a whole second.
  await database.query(
    "UPDATE sitemaps SET placing_until = date_trunc('second', now()) + interval '2 s' WHERE domain_id = $1",
    [domain.id],
  );
  const body = { domain: domain.hostname, upsert: [ALL[100]] };
  expect(await fixture.delta(account, body, { publishTime: undefined })).toMatchObject({ generation: 2 });
  const { rows } = await database.query(
    `SELECT u.published_at >= s.placing_until AS "hasWaited" FROM sitemaps s JOIN uploads u ON u.id = s.upload_id
      WHERE s.domain_id = $1`,
    [domain.id],
  );
  expect(rows).toEqual([{ hasWaited: true }]);
});
