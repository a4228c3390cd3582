/**
 * Upload sessions against a naive model: parts in any order, repeated, replaced, sent twice at once, broken off, aborted and expired.
 * The model is a map from numbers to entries.
 */

import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../../src/features/sites/collect-garbage.ts';
import { uploadPrefix } from '../../../src/features/sites/site.ts';
import { sweepSessions } from '../../../src/features/uploads/sessions/end-sessions.ts';
import { readObject } from '../../../src/platform/storage/object-storage.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { collectLog } from '../../support/collect-log.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';
import { createUploadFixture, DAY_MS } from '../upload-fixture.ts';
import { sessionsOf } from './session-fixture.ts';

const fixture = await createUploadFixture({ seesUnchanged: true });
const { database, storage, keys } = fixture;
const account = await addAccount(database);
const domain = await addVerifiedDomain(database, account);
const sessions = sessionsOf(fixture, account);

/** Entries `from` to `from + count`, of which 1,000 make a full file. */
const entriesOf = ({ from, count }: { from: number; count: number }) =>
  Array.from({ length: count }, (_, i) => ({ loc: `https://www.example.com/${from + i}` }));

const rows = fc.record({ from: fc.nat(9), count: fc.constantFrom(0, 1, 30, 999, 1000, 1001, 2100) });
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('put' as const), part: fc.integer({ min: 1, max: 4 }), rows }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('twins' as const),
        part: fc.integer({ min: 1, max: 4 }),
        rows,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('broken' as const),
        part: fc.integer({ min: 1, max: 4 }),
        rows,
      }),
    },
  ),
  { minLength: 1, maxLength: 8 },
);
const ends = fc.constantFrom('named', 'named', 'counted', 'aborted', 'expired');

async function liveFiles(sitemapName: string) {
  const { rows: files } = await database.query<{
    upload_id: string;
    upload_n: number;
    etag: string;
    entries: number;
  }>(
    `SELECT upload_id, upload_n, etag, entries FROM sitemap_files
      WHERE domain_id = $1 AND sitemap_name = $2 AND to_seq IS NULL ORDER BY n`,
    [domain.id, sitemapName],
  );
  return files;
}

async function liveUrls(sitemapName: string): Promise<string[]> {
  const urls: string[] = [];
  for (const { upload_id, upload_n, entries } of await liveFiles(sitemapName)) {
    const xml = gunzipSync(
      (await readObject(storage, `uploads/${upload_id}/${upload_n}.xml.gz`))!,
    ).toString();
    const found = [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map((match) => match[1]!);
    expect(found).toHaveLength(entries);
    urls.push(...found);
  }
  return urls;
}

async function collectAll(uploadId: string) {
  await sweepSessions(database);
  await database.query(
    "UPDATE garbage SET collect_after = now() WHERE starts_with(prefix, $1) AND collect_after < now() + interval '2 days'",
    [uploadPrefix(uploadId)],
  );
  await collectGarbage({
    ...{ database, storage, log: collectLog(), keepReplacedMs: DAY_MS },
    replacedBytes: { free: 1e12, starter: 1e12, pro: 1e12, business: 1e12, enterprise: 1e12 },
  });
  await sweepSessions(database);
}

/** Full files in the order of the parts, then their tails, if there are several. */
function expectedOrder(parts: readonly (readonly string[])[]): string[] {
  const fullOf = (urls: readonly string[]) => urls.length - (urls.length % 1000);
  if (parts.filter((urls) => urls.length % 1000 > 0).length < 2) return parts.flat();
  return [
    ...parts.flatMap((urls) => urls.slice(0, fullOf(urls))),
    ...parts.flatMap((urls) => urls.slice(fullOf(urls))),
  ];
}

let names = 0;

test('sessions publish what the model has, with the same files for the same parts, and leave nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(steps, ends, fc.boolean(), async (done, end, isForced) => {
      const name = `s${++names}`;
      const { id, uploadId } = await sessions.open(domain.hostname, {}, name);
      const model = new Map<number, { loc: string }[]>();
      const digests = new Map<number, string>();
      for (const { kind, part, rows: sent } of done) {
        const entries = entriesOf(sent);
        if (kind === 'broken') {
          await expect(sessions.part(id, part, [...entries, { loc: 'nowhere' }])).rejects.toThrow('loc');
          continue;
        }
        const twins = kind === 'twins' ? 2 : 1;
        const answers = await Promise.all(
          Array.from({ length: twins }, () => sessions.part(id, part, entries)),
        );
        expect(new Set(answers.map(({ digest }) => digest)).size).toBe(1);
        model.set(part, entries);
        digests.set(part, answers[0]!.digest);
      }
      const inOrder = [...model].sort(([a], [b]) => a - b);
      const wanted = inOrder.flatMap(([, entries]) => entries.map(({ loc }) => loc));
      const urlCount = wanted.length;
      expect(await sessions.find(id)).toMatchObject({ parts: model.size, urlCount });

      if (end === 'aborted' || end === 'expired' || urlCount === 0) {
        if (end === 'expired') {
          await database.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', [
            uploadPrefix(uploadId),
          ]);
        } else await sessions.abort(id);
        await collectAll(uploadId);
        expect(await keys(uploadPrefix(uploadId))).toEqual([]);
        expect(await liveFiles(name)).toEqual([]);
        await expect(sessions.part(id, 1, [])).rejects.toMatchObject({ code: 'CONFLICT' });
        return;
      }

      const named = { parts: [...digests].map(([part, digest]) => ({ part, digest })) };
      const counts = { partCount: model.size, urlCount };
      const published = await sessions.commit(id, end === 'named' ? named : counts, { force: isForced });
      expect(published).toMatchObject({ urlCount, generation: 1, isUnchanged: false });
      const urls = await liveUrls(name);
      expect(urls).toEqual(expectedOrder(inOrder.map(([, entries]) => entries.map(({ loc }) => loc))));
      const files = await liveFiles(name);
      expect(published.fileCount).toBe(files.length);

      // The parts in another order, without the detours, give the same files.
      const again = `${name}b`;
      const other = await sessions.open(domain.hostname, {}, again);
      for (const [part, entries] of inOrder.toReversed()) await sessions.part(other.id, part, entries);
      await sessions.commit(other.id, counts);
      expect((await liveFiles(again)).map(({ etag }) => etag)).toEqual(files.map(({ etag }) => etag));

      await collectAll(uploadId);
      const stored = (await keys(uploadPrefix(uploadId))).filter((key) => /\/\d+\.xml\.gz$/.test(key));
      const live = files.map(({ upload_n: n }) => `uploads/${uploadId}/${n}.xml.gz`);
      expect(stored.sort()).toEqual(live.sort());
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
