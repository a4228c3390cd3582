/** Upload sessions over a real database: parts, commits and ends. */
import { describe, expect, test, vi } from 'vitest';
import { lockAccount } from '../../../src/features/accounts/account-store.ts';
import { collectGarbage } from '../../../src/features/sites/collect-garbage.ts';
import { uploadPrefix } from '../../../src/features/sites/site.ts';
import { findAttempt } from '../../../src/features/uploads/attempt-store.ts';
import { expireHeldUploads } from '../../../src/features/uploads/held-upload-store.ts';
import { sweepSessions } from '../../../src/features/uploads/sessions/end-sessions.ts';
import type { BeginWriter } from '../../../src/features/uploads/sessions/writer.ts';
import { insertEndpoint } from '../../../src/features/webhooks/endpoint-store.ts';
import { newId } from '../../../src/platform/ids.ts';
import { inTransaction } from '../../../src/platform/postgres/database.ts';
import { addAccount, addVerifiedDomain } from '../../support/accounts.ts';
import { collectLog } from '../../support/collect-log.ts';
import { SOON } from '../../support/soon.ts';
import { plainEntries } from '../batches.ts';
import { createUploadFixture, DAY_MS } from '../upload-fixture.ts';
import { sessionsOf } from './session-fixture.ts';

const fixture = await createUploadFixture({ seesUnchanged: true });
const { database, upload, keys, garbage, publishHeld } = fixture;

/** An account with a domain, and entries that no other test has. */
async function newcomer(allowance = {}) {
  const account = await addAccount(database);
  const domain = await addVerifiedDomain(database, account);
  return { account, ...domain, ...sessionsOf(fixture, account, { allowance }) };
}

const all = plainEntries(6000);
const slice = (from: number, count: number) => all.slice(from, from + count);
const named = (parts: readonly { readonly part: number; readonly digest: string }[]) => ({
  parts: parts.map(({ part, digest }) => ({ part, digest })),
});

/** The files of a sitemap that are live. */
async function liveFiles(domainId: string, sitemapName = '') {
  const { rows } = await database.query(
    `SELECT n, upload_n, entries, etag FROM sitemap_files
      WHERE domain_id = $1 AND sitemap_name = $2 AND to_seq IS NULL ORDER BY n`,
    [domainId, sitemapName],
  );
  return rows as { n: number; upload_n: number; entries: number; etag: string }[];
}

const collect = () =>
  collectGarbage({
    ...{ database, storage: fixture.storage, log: collectLog(), keepReplacedMs: DAY_MS },
    replacedBytes: { free: 1e12, starter: 1e12, pro: 1e12, business: 1e12, enterprise: 1e12 },
  });

test('parts that wait for the lock of their account leave connections to Postgres to others', async () => {
  const { account, hostname, open, part } = await newcomer();
  const session = await open(hostname);
  const { partTurns } = fixture.options;
  const count = 30;
  const parts = await inTransaction(database, async (transaction) => {
    await lockAccount(transaction, account);
    const sent = Array.from({ length: count }, (_, n) => part(session.id, n + 1, slice(n, 1)));
    await vi.waitFor(() => expect(partTurns.waiting).toBe(count - 4), SOON);
    const other = await newcomer();
    await other.part((await other.open(other.hostname)).id, 1, slice(0, 1));
    return { sent };
  });
  expect(await Promise.all(parts.sent)).toHaveLength(count);
});

describe('a commit', () => {
  test('publishes its parts in the order of their numbers as one generation, whose small tails are packed', async () => {
    const { hostname, id: domainId, open, part, commit, find } = await newcomer();
    const session = await open(hostname);
    const second = await part(session.id, 2, slice(2500, 1500));
    const first = await part(session.id, 1, slice(0, 2500));
    const third = await part(session.id, 7, slice(4000, 300));
    expect(await find(session.id)).toMatchObject({ status: 'open', parts: 3, urlCount: 4300 });
    const upload = await commit(session.id, named([third, second, first]));
    expect(upload).toMatchObject({ generation: 1, urlCount: 4300, fileCount: 5, uploadId: session.uploadId });
    const files = await liveFiles(domainId);
    // Two full files of the first part, one of the second, then the tails with 500, 500 and 300 entries.
    expect(files.map(({ entries }) => entries)).toEqual([1000, 1000, 1000, 1000, 300]);
    expect(await find(session.id)).toMatchObject({ status: 'committed', published: { generation: 1 } });
  });

  test('of the same parts has the same entity tags, whatever order and however often they were sent', async () => {
    const { hostname, id: domainId, open, part, commit } = await newcomer();
    const etags = [];
    for (const order of [
      [1, 2, 3],
      [3, 1, 1, 2, 3],
    ]) {
      const session = await open(hostname);
      const parts = new Map();
      for (const n of order) parts.set(n, await part(session.id, n, slice(n * 1100, 1100 + n)));
      await commit(session.id, named([...parts.values()]), { force: true });
      etags.push((await liveFiles(domainId)).map(({ etag }) => etag));
    }
    expect(etags[0]).toEqual(etags[1]);
    expect(etags[0]).toHaveLength(4);
  });

  test('has the same answer when it is repeated', async () => {
    const { hostname, open, part, commit } = await newcomer();
    const session = await open(hostname);
    const one = await part(session.id, 1, slice(0, 20));
    const first = await commit(session.id, named([one]));
    expect(await commit(session.id, named([one]))).toEqual(first);
    expect(await commit(session.id, { partCount: 9, urlCount: 9 })).toEqual(first);
  });

  test('that another one overtakes has the answer of that, and the site is written', async () => {
    const { account, hostname, open, part, commit } = await newcomer();
    const session = await open(hostname);
    const wanted = named([await part(session.id, 1, slice(0, 20))]);
    const { getDomain, writeSite } = fixture.options;
    let overtaken: Awaited<ReturnType<typeof commit>> | undefined;
    const written: string[] = [];
    const slow = sessionsOf(fixture, account, {
      changed: {
        async getDomain(...given) {
          const domain = await getDomain(...given);
          overtaken = await commit(session.id, wanted);
          return domain;
        },
        async writeSite(name) {
          written.push(name);
          return writeSite(name);
        },
      },
    });
    expect(await slow.commit(session.id, wanted)).toEqual(overtaken);
    expect(overtaken).toMatchObject({ generation: 1, urlCount: 20 });
    expect(written).toEqual([hostname]);
  });

  test('that another one overtakes, whose upload is held, is told so, and with force publishes it', async () => {
    const { account, hostname, id, open, part, commit } = await newcomer();
    await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [id]);
    await upload(account, { domain: hostname, urls: slice(0, 2000) });
    const { getDomain } = fixture.options;
    for (const force of [false, true]) {
      const session = await open(hostname);
      const wanted = named([await part(session.id, 1, slice(0, 400))]);
      const { uploadId } = session;
      const slow = sessionsOf(fixture, account, {
        changed: {
          async getDomain(...given) {
            const domain = await getDomain(...given);
            await expect(commit(session.id, wanted)).rejects.toMatchObject({ heldUploadId: uploadId });
            return domain;
          },
        },
      });
      const outcome = slow.commit(session.id, wanted, { force });
      if (force) expect(await outcome).toMatchObject({ generation: 2, urlCount: 400, uploadId });
      else await expect(outcome).rejects.toMatchObject({ heldUploadId: uploadId });
    }
  });

  test('that stalls beyond its lease publishes no part that another one has replaced meanwhile', async () => {
    const { account, hostname, id, open, part, commit } = await newcomer();
    const session = await open(hostname);
    const former = await part(session.id, 1, slice(0, 1000));
    const { publishTurns } = fixture.options;
    let replaced = former;
    const stalled = sessionsOf(fixture, account, {
      changed: {
        publishTurns: {
          async run(owner, work) {
            await database.query('UPDATE upload_sessions SET committing_until = now() WHERE id = $1', [
              session.id,
            ]);
            replaced = await part(session.id, 1, slice(1000, 1000));
            return publishTurns.run(owner, work);
          },
        } as typeof publishTurns,
      },
    });
    await expect(stalled.commit(session.id, named([former]))).rejects.toThrow('taken over');
    expect(await liveFiles(id)).toEqual([]);
    expect(await commit(session.id, named([replaced]))).toMatchObject({ generation: 1, urlCount: 1000 });
  });

  test('says which parts are missing, and which are others', async () => {
    const { hostname, open, part, commit } = await newcomer();
    const session = await open(hostname);
    const one = await part(session.id, 1, slice(0, 20));
    const two = await part(session.id, 2, slice(20, 20));
    await part(session.id, 2, slice(20, 21));
    const wanted = named([one, two, { part: 3, digest: 'x' }]);
    await expect(commit(session.id, wanted)).rejects.toMatchObject({
      code: 'CONFLICT',
      options: { details: { missing: [3], different: [2] } },
    });
    await expect(commit(session.id, { partCount: 2, urlCount: 40 })).rejects.toMatchObject({
      code: 'CONFLICT',
      options: { details: { partCount: 2, urlCount: 41 } },
    });
    // The session lives on.
    expect(await commit(session.id, { partCount: 2, urlCount: 41 })).toMatchObject({ urlCount: 41 });
  });

  test('leaves out parts that it does not name, and their objects go', async () => {
    const { hostname, open, part, commit } = await newcomer();
    const session = await open(hostname);
    const one = await part(session.id, 1, slice(0, 20));
    await part(session.id, 2, slice(20, 20));
    expect(await commit(session.id, named([one]))).toMatchObject({ urlCount: 20, fileCount: 1 });
    await database.query("UPDATE garbage SET collect_after = now() WHERE prefix LIKE $1 || '%'", [
      uploadPrefix(session.uploadId),
    ]);
    await collect();
    const left = (await keys(uploadPrefix(session.uploadId))).filter((key) => /\d\.xml\.gz$/.test(key));
    expect(left).toHaveLength(1);
  });

  test('of what is live changes nothing, and its objects go', async () => {
    const { account, hostname, open, part, commit, find } = await newcomer();
    await upload(account, { domain: hostname, sizeLimit: 'gsc-optimized', urls: slice(0, 1500) });
    const session = await open(hostname);
    const parts = [await part(session.id, 1, slice(700, 800)), await part(session.id, 2, slice(0, 700))];
    expect(await commit(session.id, named(parts))).toMatchObject({ generation: 1, isUnchanged: true });
    expect(await find(session.id)).toMatchObject({ status: 'committed' });
    expect(await findAttempt(database, account, session.uploadId)).toMatchObject({ outcome: 'unchanged' });
    await database.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', [
      uploadPrefix(session.uploadId),
    ]);
    await collect();
    expect(await keys(uploadPrefix(session.uploadId))).toEqual([]);
  });

  test('obeys ifGeneration and dryRun, and is recorded as an attempt', async () => {
    const { account, hostname, id: domainId, open, part, commit, find } = await newcomer();
    const session = await open(hostname);
    const parts = [await part(session.id, 1, slice(0, 700)), await part(session.id, 2, slice(700, 700))];
    await expect(commit(session.id, named(parts), { ifGeneration: 3 })).rejects.toThrow('ifGeneration');
    const tried = await commit(session.id, named(parts), { dryRun: true });
    expect(tried).toMatchObject({ dryRun: true, urlCount: 1400, fileCount: 2, rejected: 0 });
    expect(await find(session.id)).toMatchObject({ status: 'open' });
    expect(await liveFiles(domainId)).toEqual([]);
    const sent = await commit(session.id, named(parts), { ifGeneration: 0 });
    expect(sent).toMatchObject({ generation: 1, urlCount: 1400, fileCount: 2 });
    expect(await findAttempt(database, account, session.uploadId)).toMatchObject({
      outcome: 'published',
      seq: 1,
      urlCount: 1400,
    });
  });

  test('tells webhooks of its generation', async () => {
    const { account, hostname, open, part, commit } = await newcomer();
    const common = {
      accountId: account,
      url: 'https://receiver.example/',
      description: '',
      eventTypes: null,
    };
    await insertEndpoint(database, { id: newId('webhook'), ...common });
    const session = await open(hostname);
    const one = await part(session.id, 1, slice(0, 20));
    await commit(session.id, named([one]));
    await commit(session.id, named([one]));
    const { rows } = await database.query('SELECT type, data FROM webhook_events WHERE account_id = $1', [
      account,
    ]);
    const { uploadId } = session;
    expect(rows).toEqual([
      { type: 'upload.published', data: expect.objectContaining({ uploadId, generation: 1, urlCount: 20 }) },
    ]);
  });

  test('that the guard stops holds the upload, which a commit with force or its owner publishes', async () => {
    for (const again of ['commit', 'publish'] as const) {
      const { account, hostname, id, open, part, commit, find } = await newcomer();
      await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [id]);
      await upload(account, { domain: hostname, urls: slice(0, 2000) });
      const session = await open(hostname);
      const parts = [await part(session.id, 1, slice(0, 400)), await part(session.id, 2, slice(400, 400))];
      const { uploadId } = session;
      await expect(commit(session.id, named(parts))).rejects.toMatchObject({ heldUploadId: uploadId });
      expect(await find(session.id)).toMatchObject({ status: 'held' });
      const tried = { dryRun: true, terms: { force: true, ifGeneration: undefined } };
      await expect(commit(session.id, named(parts), tried)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await find(session.id)).toMatchObject({ status: 'held' });
      expect(await findAttempt(database, account, uploadId)).toMatchObject({ outcome: 'held' });
      await expect(commit(session.id, named(parts))).rejects.toMatchObject({ heldUploadId: uploadId });
      const published =
        again === 'commit'
          ? await commit(session.id, named(parts), { force: true })
          : await publishHeld(account, uploadId, { force: true });
      expect(published).toMatchObject({ generation: 2, urlCount: 800, fileCount: 1, uploadId });
      expect(await find(session.id)).toMatchObject({ status: 'committed' });
      // A session is known for 14 days.
      await database.query("UPDATE held_uploads SET held_at = now() - interval '14 days' WHERE id = $1", [
        uploadId,
      ]);
      await expireHeldUploads(database);
      expect(await find(session.id)).toMatchObject({ status: 'committed' });
      await expect(commit(session.id, named(parts), tried)).rejects.toThrow('has been committed.');
      expect(await commit(session.id, named(parts))).toMatchObject({ generation: 2, urlCount: 800 });
      expect((await liveFiles(id)).map(({ n, entries }) => [n, entries])).toEqual([[1, 800]]);
    }
  });

  test('that the guard stops holds the upload, which goes with its session', async () => {
    const { account, hostname, id, open, part, commit, abort } = await newcomer();
    await database.query('UPDATE domains SET max_removed_percent = 10 WHERE id = $1', [id]);
    await upload(account, { domain: hostname, urls: slice(0, 2000) });
    const session = await open(hostname);
    const { uploadId } = session;
    const parts = [await part(session.id, 1, slice(0, 400))];
    await expect(commit(session.id, named(parts))).rejects.toMatchObject({ heldUploadId: uploadId });
    expect(await abort(session.id)).toMatchObject({ status: 'aborted' });
    expect(await findAttempt(database, account, uploadId)).toMatchObject({
      outcome: 'abandoned',
      message: 'It was held, and then discarded.',
    });
    await expect(publishHeld(account, uploadId, { force: true })).rejects.toThrow('no longer kept');
    expect(await abort(session.id)).toMatchObject({ status: 'aborted' });
  });

  test('of a session with invalid entries judges all its parts', async () => {
    const { hostname, open, part, commit } = await newcomer();
    const session = await open(hostname, { onInvalid: 'skip', maxRejected: 1 });
    const bad = { loc: 'nowhere' };
    const parts = [
      await part(session.id, 1, [bad, ...slice(0, 5)]),
      await part(session.id, 2, [bad, ...slice(5, 5)]),
    ];
    await expect(commit(session.id, named(parts))).rejects.toThrow('2 entries are invalid');
    await expect(part(session.id, 2, [bad, bad, ...slice(5, 5)])).rejects.toThrow('maxRejected is 1');
    const mended = await part(session.id, 2, slice(5, 6));
    expect(await commit(session.id, named([parts[0]!, mended]))).toMatchObject({ rejected: 1, urlCount: 11 });
  });

  test('takes a part whose entries are all invalid, as far as the session allows it', async () => {
    const { hostname, open, part, commit } = await newcomer();
    const session = await open(hostname, { onInvalid: 'skip', maxRejected: 5 });
    const bad = await part(session.id, 1, [{ loc: 'nowhere' }]);
    expect(bad).toMatchObject({ urlCount: 0, rejected: 1 });
    await expect(commit(session.id, named([bad]))).rejects.toThrow('all 1 entries are invalid');
    const good = await part(session.id, 2, slice(0, 5));
    expect(await commit(session.id, named([bad, good]))).toMatchObject({ rejected: 1, urlCount: 5 });
  });

  test('judges the number of entries that the session announced', async () => {
    const { hostname, open, part, commit } = await newcomer();
    const session = await open(hostname, { expectedUrlCount: 30 });
    const one = await part(session.id, 1, slice(0, 20));
    await expect(commit(session.id, named([one]))).rejects.toThrow('expectedUrlCount');
    const two = await part(session.id, 2, slice(20, 10));
    expect(await commit(session.id, named([one, two]))).toMatchObject({ urlCount: 30 });
  });

  test('without an entry is refused', async () => {
    const { hostname, open, part, commit } = await newcomer();
    const session = await open(hostname);
    const empty = await part(session.id, 1, []);
    expect(empty).toMatchObject({ urlCount: 0, gzipBytes: 0 });
    expect(await part(session.id, 2, '')).toMatchObject({ urlCount: 0 });
    await expect(commit(session.id, named([empty]))).rejects.toThrow('parts: must hold at least one URL');
  });
});

describe('a part', () => {
  test('that is sent again changes nothing, and leaves no object behind', async () => {
    const { hostname, open, part, find } = await newcomer();
    const session = await open(hostname);
    const first = await part(session.id, 1, slice(0, 1200));
    const stored = await keys(uploadPrefix(session.uploadId));
    const again = await part(session.id, 1, slice(0, 1200));
    expect(again).toMatchObject({ digest: first.digest, isNew: false, files: first.files });
    expect(await keys(uploadPrefix(session.uploadId))).toEqual(stored);
    expect(await find(session.id)).toMatchObject({ parts: 1, urlCount: 1200 });
    expect(await writers(session.id)).toBe(0);
  });

  test('that is refused leaves the session and its objects as they were', async () => {
    const { hostname, open, part, find } = await newcomer();
    const session = await open(hostname);
    await part(session.id, 1, slice(0, 1200));
    const stored = await keys(uploadPrefix(session.uploadId));
    await expect(part(session.id, 1, [...slice(0, 1500), { loc: 'nowhere' }])).rejects.toThrow('loc');
    expect(await keys(uploadPrefix(session.uploadId))).toEqual(stored);
    expect(await find(session.id)).toMatchObject({ parts: 1, urlCount: 1200, status: 'open' });
    expect(await writers(session.id)).toBe(0);
  });

  test('whose first file comes while a commit ends that publishes nothing is stored', async () => {
    const { account, hostname, open, find } = await newcomer();
    const session = await open(hostname);
    let asked = 0;
    // The first statement comes during the commit, and finds no open session.
    const beginWriter: BeginWriter = async (...writer) =>
      ++asked === 1 ? undefined : fixture.options.beginWriter(...writer);
    const { part } = sessionsOf(fixture, account, { changed: { beginWriter } });
    expect(await part(session.id, 1, slice(0, 100))).toMatchObject({ urlCount: 100, isNew: true });
    expect(await find(session.id)).toMatchObject({ parts: 1, urlCount: 100 });
    const never: BeginWriter = async () => undefined;
    const late = sessionsOf(fixture, account, { changed: { beginWriter: never } });
    await expect(late.part(session.id, 2, slice(0, 100))).rejects.toThrow('too many writers');
  });

  test('beyond the plan is refused, though each part alone has room', async () => {
    const { hostname, open, part } = await newcomer({ urlsPerUpload: 100 });
    const session = await open(hostname);
    await part(session.id, 1, slice(0, 60));
    await expect(part(session.id, 2, slice(60, 41))).rejects.toThrow('at most 100 URLs');
    await part(session.id, 2, slice(60, 40));
    await expect(part(session.id, 3, slice(0, 101))).rejects.toThrow('at most 100 URLs');
  });

  test('counts for its account, as held uploads do, until it is replaced', async () => {
    const { account, hostname, open, part } = await newcomer();
    const session = await open(hostname);
    const counted = async () => {
      const { rows } = await database.query(
        'SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM garbage WHERE account_id = $1',
        [account],
      );
      return rows[0].bytes;
    };
    const large = await part(session.id, 1, slice(0, 3000));
    expect(await counted()).toBe(large.gzipBytes);
    const small = await part(session.id, 1, slice(0, 10));
    expect(await counted()).toBe(small.gzipBytes);
  });
});

describe('the end of a session', () => {
  test('by its owner refuses parts and commits, and its objects go', async () => {
    const { hostname, open, part, commit, abort, find } = await newcomer();
    const session = await open(hostname);
    const one = await part(session.id, 1, slice(0, 1200));
    expect(await abort(session.id)).toMatchObject({ status: 'aborted' });
    expect(await abort(session.id)).toMatchObject({ status: 'aborted' });
    const refused = { code: 'CONFLICT', options: { details: { status: 'aborted' } } };
    await expect(part(session.id, 2, slice(0, 10))).rejects.toMatchObject(refused);
    await expect(commit(session.id, named([one]))).rejects.toMatchObject(refused);
    await collect();
    await sweepSessions(database);
    expect(await keys(uploadPrefix(session.uploadId))).toEqual([]);
    expect((await garbage()).filter((prefix) => prefix.includes(session.uploadId))).toEqual([]);
    expect(await partsOf(session.id)).toBe(0);
    expect(await find(session.id)).toMatchObject({ status: 'aborted', parts: 1 });
  });

  test('a committed session is not aborted', async () => {
    const { hostname, open, part, commit, abort } = await newcomer();
    const session = await open(hostname);
    await commit(session.id, named([await part(session.id, 1, slice(0, 12))]));
    await expect(abort(session.id)).rejects.toMatchObject({ options: { details: { status: 'committed' } } });
    await sweepSessions(database);
    expect(await partsOf(session.id)).toBe(0);
  });

  test('comes with its time, by the clock of the database', async () => {
    const { hostname, open, part, commit, find } = await newcomer();
    const session = await open(hostname);
    const one = await part(session.id, 1, slice(0, 1200));
    await database.query("UPDATE garbage SET collect_after = now() + interval '59 s' WHERE prefix = $1", [
      uploadPrefix(session.uploadId),
    ]);
    expect(await find(session.id)).toMatchObject({ status: 'expired' });
    const refused = { code: 'CONFLICT', options: { details: { status: 'expired' } } };
    await expect(part(session.id, 2, slice(0, 10))).rejects.toMatchObject(refused);
    await expect(commit(session.id, named([one]))).rejects.toMatchObject(refused);
    await database.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', [
      uploadPrefix(session.uploadId),
    ]);
    await collect();
    await sweepSessions(database);
    expect(await keys(uploadPrefix(session.uploadId))).toEqual([]);
    expect(await partsOf(session.id)).toBe(0);
    expect(await find(session.id)).toMatchObject({ status: 'expired' });
  });

  test('is 24 hours after its last part, and 7 days after its opening at the latest', async () => {
    const { hostname, open, part, find } = await newcomer();
    const session = await open(hostname);
    const hoursLeft = async () => {
      const { expiresAt } = (await find(session.id))!;
      const { rows } = await database.query('SELECT round(extract(epoch FROM $1 - now()) / 3600)::int AS n', [
        expiresAt,
      ]);
      return rows[0].n;
    };
    expect(await hoursLeft()).toBe(24);
    await database.query("UPDATE garbage SET collect_after = now() + interval '2 hours' WHERE prefix = $1", [
      uploadPrefix(session.uploadId),
    ]);
    expect(await hoursLeft()).toBe(2);
    await part(session.id, 1, slice(0, 5));
    expect(await hoursLeft()).toBe(24);
    await database.query(
      "UPDATE upload_sessions SET created_at = now() - interval '6 days 12 hours' WHERE id = $1",
      [session.id],
    );
    await part(session.id, 2, slice(5, 5));
    expect(await hoursLeft()).toBe(12);
  });

  test('an account has three open sessions at most, and expired ones do not count', async () => {
    const { hostname, open, abort } = await newcomer();
    const opened = await Promise.all([1, 2, 3].map(() => open(hostname)));
    await expect(open(hostname)).rejects.toMatchObject({ code: 'CONFLICT' });
    await abort(opened[0]!.id);
    await open(hostname);
    await expect(open(hostname)).rejects.toMatchObject({ code: 'CONFLICT' });
    await database.query('UPDATE garbage SET collect_after = now() WHERE prefix = $1', [
      uploadPrefix(opened[1]!.uploadId),
    ]);
    await open(hostname);
  });

  test('other accounts see nothing of a session', async () => {
    const mine = await newcomer();
    const theirs = await newcomer();
    const session = await mine.open(mine.hostname);
    expect(await theirs.find(session.id)).toBeUndefined();
    await expect(theirs.part(session.id, 1, slice(0, 5))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(theirs.commit(session.id, { partCount: 1, urlCount: 5 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(theirs.abort(session.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await mine.find(session.id)).toMatchObject({ status: 'open' });
  });
});

async function writers(sessionId: string): Promise<number> {
  const { rows } = await database.query(
    'SELECT count(*)::int AS count FROM upload_session_writers WHERE session_id = $1',
    [sessionId],
  );
  return rows[0].count;
}

async function partsOf(sessionId: string): Promise<number> {
  const { rows } = await database.query(
    'SELECT count(*)::int AS count FROM upload_session_parts WHERE session_id = $1',
    [sessionId],
  );
  return rows[0].count;
}
