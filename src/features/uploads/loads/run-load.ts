/**
 * Runs a load that this process has taken: lists its objects, reads them, and commits the session. If the process stops early, the parts
 * stay, and the next process goes on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkQueue } from '../../../core/jobs/start-working-off.ts';
import { shownSitemapName } from '../../../core/sitemap/file-names.ts';
import type { Log } from '../../../platform/log.ts';
import { type Database, inTransaction } from '../../../platform/postgres/database.ts';
import { holdLease } from '../../../platform/postgres/hold-lease.ts';
import { LeaseLost } from '../../../platform/postgres/lease.ts';
import { invalidField, Refusal } from '../../../platform/refusal.ts';
import { withStoredTrace } from '../../../platform/trace/trace-context.ts';
import type { Plans } from '../../accounts/plans.ts';
import type { ReachedStore } from '../../connections/open-connections.ts';
import type { EmitRefusedUpload } from '../../webhooks/emit-refused-uploads.ts';
import type { UploadOptions } from '../accept-upload.ts';
import type { AttemptOutcome } from '../attempt.ts';
import { insertAttemptPatiently } from '../attempt-store.ts';
import { GuardRefusal } from '../guard.ts';
import { findHeldPlace } from '../held-upload-store.ts';
import { commitSession } from '../sessions/commit-session.ts';
import { discardSession } from '../sessions/end-sessions.ts';
import type { UploadSession } from '../sessions/session.ts';
import { findSession } from '../sessions/session-store.ts';
import { BucketDoor } from './bucket-door.ts';
import { confirmList, printOf, recordList } from './confirm-list.ts';
import { listSources } from './list-sources.ts';
import { LOAD_HOURS } from './load.ts';
import { LoadPlaces } from './load-places.ts';
import { endLoad, LOAD_LEASE_MS, releaseLoad, renewLoad, type TakenLoad, takeLoads } from './load-store.ts';
import { type LoadReports, LoadWork } from './load-work.ts';
import { putList } from './object-store.ts';
import type { SourceReader } from './open-source.ts';
import { readAllObjects } from './read-all-objects.ts';
import { watchOf } from './read-object.ts';

export interface RunLoadOptions extends UploadOptions {
  /** The time for signatures of requests to buckets. */
  readonly now: () => Date;
  readonly reader: Omit<SourceReader, 'bucketDoor'>;
  /** Opens a connection of an account. Throws Refusal. */
  readonly reachStore: (accountId: string, name: string) => Promise<ReachedStore>;
  readonly plans: Plans;
  readonly reports: LoadReports;
  readonly log: Log;
  readonly emitRefused: EmitRefusedUpload;
}

/** If more processes than this die in a row before they have read an object, the load is the cause. */
const MAX_BEGUN = 5;
/** The wait after a failure, because the database or the store may be down. */
const AFTER_FAILURE_MS = 5000;
/** The wait while another commit has its lease. A process that died may have begun the other commit. */
const COMMIT_POLL_MS = 1000;

/** The most loads under way in one process, with those that wait for their hosts. */
const AT_ONCE = 48;
/** With the lease of 10 s, a load goes on some 11 s after its process was killed. */
const POLL_MS = 1000;

/** The queue of loads: those that have waited longest come first. */
export function createLoadQueue(options: RunLoadOptions): WorkQueue<TakenLoad> {
  const places = new LoadPlaces();
  return {
    name: 'loads',
    atOnce: AT_ONCE,
    pollMs: POLL_MS,
    async take(limit) {
      const most = Math.min(limit, places.free());
      return most === 0 ? [] : takeLoads(options.database, most);
    },
    work: (load, signal) => runLoad(options, load, signal, places),
  };
}

/** Runs a load. `ending` aborts when this process ends. Then another process goes on. Throws only errors that are worth another try. */
export function runLoad(
  options: RunLoadOptions,
  load: TakenLoad,
  ending: AbortSignal,
  places = new LoadPlaces(),
): Promise<void> {
  return withStoredTrace(load.traceparent, () => runInTrace(options, load, ending, places));
}

async function runInTrace(
  options: RunLoadOptions,
  load: TakenLoad,
  ending: AbortSignal,
  places: LoadPlaces,
): Promise<void> {
  const { database, log, plans, reports } = options;
  const work = new LoadWork(load, plans, reports);
  using _place = places.hold(work.meter);
  using _running = { [Symbol.dispose]: reports.loadBegins() };
  await using lease = holdLease({
    lengthMs: LOAD_LEASE_MS,
    renew: () => renewLoad(database, load, work.progress),
    onFailure: (err) => log.warn({ err, uploadId: load.id }, 'the lease of a load could not be renewed'),
  });
  // The time is negative if the clock of the database was ahead when the load was first taken.
  const restMs = LOAD_HOURS * 3_600_000 - Math.max(0, load.begunMs);
  const expiry = AbortSignal.timeout(Math.max(1, Math.round(restMs)));
  const signal = AbortSignal.any([ending, lease.signal, expiry]);
  try {
    if (load.begun > MAX_BEGUN) throw new Refusal('SERVICE_UNAVAILABLE', 'The load failed again and again.');
    await proceed(options, work, signal);
  } catch (error) {
    if (lease.signal.aborted || error instanceof LeaseLost) return;
    // Await here, because the lease must not end while the promise runs.
    if (error instanceof Refusal) return await endRefused(options, work, saidForReaders(load, error));
    if (expiry.aborted) return await endRefused(options, work, tooLong());
    await releaseLoad(database, load, work.progress, ending.aborted ? 0 : AFTER_FAILURE_MS);
    if (!ending.aborted) throw error;
  }
}

async function proceed(options: RunLoadOptions, work: LoadWork, signal: AbortSignal): Promise<void> {
  const { database } = options;
  const { load } = work;
  const { asked } = load;
  const session = await findSession(database, load.accountId, load.sessionId);
  if (await wasHeld(database, load, session)) return endLoad(database, load, work.progress);
  const reader = await readerOf(options, load);
  let print = load.listPrint;
  if (!load.isListed) {
    const listing = await listSources(reader, asked, (url) => watchOf(work, url, signal));
    const { objects, missing } = listing;
    if (session !== undefined) print = printOf(asked, session.terms, reader.bucketDoor?.endpoint, listing);
    await inTransaction(database, (transaction) => putList(transaction, load, objects, missing, print));
  }
  if (asked.ifChanged && !asked.force && print !== null) {
    if ((await confirmList(options, work, print)) !== undefined) {
      work.ended('unchanged');
      options.log.info(namesOf(work), 'load unchanged');
      return;
    }
  }
  await readAllObjects({ ...options, reader }, work, signal);
  signal.throwIfAborted();
  using _working = work.meter.work();
  await commit(options, work, signal);
}

/**
 * Whether the former process died between holding the upload and ending the load. Meanwhile the owner may have discarded the upload, or its
 * hold may have ended.
 */
async function wasHeld(
  database: Database,
  { accountId, id }: TakenLoad,
  session: UploadSession | undefined,
): Promise<boolean> {
  if (session?.status !== 'expired') return session?.status === 'held';
  return (await findHeldPlace(database, accountId, id)) !== undefined;
}

async function readerOf({ reader, reachStore, now }: RunLoadOptions, load: TakenLoad): Promise<SourceReader> {
  const { accountId, asked } = load;
  if (asked.connection == null) return reader;
  const bucketDoor = new BucketDoor(reader.read, await reachStore(accountId, asked.connection), now);
  return { ...reader, read: bucketDoor.read, bucketDoor };
}

/** Publishes the parts. The load ends in the transaction of the publication, or after its upload is held. */
async function commit(options: RunLoadOptions, work: LoadWork, signal: AbortSignal): Promise<void> {
  const { database } = options;
  const { load, uploader, attempt } = work;
  const { ifGeneration, force } = load.asked;
  const startedAt = performance.now();
  for (;;) {
    const session = await findSession(database, load.accountId, load.sessionId);
    const { parts = 0, urlCount = 0 } = session ?? {};
    let hasEnded = false;
    if (urlCount === 0) throw work.onlyInvalid ?? invalidField('sources', undefined, 'lead to no entries');
    try {
      const upload = await commitSession(
        options,
        uploader,
        attempt,
        load.sessionId,
        {
          wanted: { partCount: parts, urlCount },
          terms: { ifGeneration: ifGeneration ?? undefined, force },
          dryRun: false,
        },
        async (transaction) => {
          await recordList(transaction, load.id);
          await endLoad(transaction, load, { ...work.progress, urlCount });
          hasEnded = true;
        },
      );
      // The upload was held before, and somebody has published it meanwhile.
      if (!hasEnded) await endLoad(database, load, { ...work.progress, urlCount });
      const durationMs = Math.round(performance.now() - startedAt);
      const { isUnchanged, fileCount: files } = upload;
      if (isUnchanged) work.ended('unchanged');
      else work.ended('accepted', upload.urlCount);
      options.log.info(
        { ...namesOf(work), urls: upload.urlCount, files, durationMs },
        `load ${isUnchanged ? 'unchanged' : 'published'}`,
      );
      return;
    } catch (error) {
      if (error instanceof GuardRefusal && error.heldUploadId !== undefined) {
        options.log.info(namesOf(work), 'load held');
        await endLoad(database, load, { ...work.progress, urlCount });
        work.ended('held');
        return;
      }
      const isBusy = error instanceof Refusal && error.options.details?.status === 'committing';
      if (!isBusy) throw error;
      await delay(COMMIT_POLL_MS, undefined, { signal });
    }
  }
}

async function endRefused(options: RunLoadOptions, work: LoadWork, refusal: Refusal): Promise<void> {
  const { database, log, emitRefused } = options;
  const { load, attempt, progress } = work;
  attempt.counts.urlCount = progress.urlCount;
  const hasEnded = await inTransaction(database, async (transaction) => {
    // This statement locks the domain, so it comes first.
    await insertAttemptPatiently(transaction, attempt.end('refused' satisfies AttemptOutcome, refusal)!);
    await discardSession(transaction, load);
    await endLoad(transaction, load, progress);
    return true;
  }).catch((error) => {
    // The load was canceled, or another process has it.
    if (error instanceof LeaseLost) return false;
    throw error;
  });
  if (!hasEnded) return;
  work.ended('refused');
  log.info({ ...namesOf(work), code: refusal.code }, 'load refused');
  const { domainId, hostname, sitemapName, id: uploadId, accountId } = load;
  const about = { domainId, domain: hostname, sitemapName: shownSitemapName(sitemapName), uploadId };
  emitRefused(accountId, about, refusal);
}

/** A member reads the refusal hours later. So the refusal says that the person who asked for the load is no longer a member. */
function saidForReaders({ userSessionId }: TakenLoad, refusal: Refusal): Refusal {
  if (userSessionId === null || refusal.code !== 'UNAUTHORIZED') return refusal;
  const message =
    'The person who asked for this load is no longer a member of the account. Load again, or set a schedule, which needs nobody.';
  return new Refusal('UNAUTHORIZED', message);
}

function namesOf({ load }: LoadWork) {
  const { id: uploadId, accountId, keyId, hostname } = load;
  return { uploadId, accountId, keyId, hostname };
}

function tooLong(): Refusal {
  return new Refusal('REQUEST_TIMEOUT', `The load did not end within ${LOAD_HOURS} hours.`);
}
