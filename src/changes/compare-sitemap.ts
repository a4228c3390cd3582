/**
 * Compares the live upload of a sitemap with the one that was last compared, and records what changed:
 *
 * ```
 * files of both → the ones that differ → a thread → lists of URLs → the sink and stored lines → one transaction
 * ```
 * Uploads that were replaced before anybody compared them are skipped. Whatever fails is done again from the start, with a
 * new sink and over the same objects.
 */
import { lockDomain } from '../domains/domain-store.ts';
import type { Log } from '../platform/log.ts';
import { type Database, inTransaction } from '../platform/postgres/database.ts';
import { type ObjectStorage, readObject } from '../platform/storage/object-storage.ts';
import { addGarbage } from '../sites/garbage-store.ts';
import { changesKey, uploadFileKey, uploadPrefix } from '../sites/site.ts';
import type { ChangeKind, ChangeSink, OnCounted, OpenChangeSink } from './comparison.ts';
import {
  type EndedComparison,
  findOrigins,
  findUploadFiles,
  insertComparison,
  type UploadFile,
} from './comparison-store.ts';
import type { ComparisonThread } from './comparison-thread.ts';
import { type DueComparison, endComparison, lockComparison } from './due-comparison-store.ts';
import { Overtaken } from './hold-comparison.ts';
import { keptOrigins, replaceOrigins, topOrigins } from './origins.ts';
import { planComparison } from './plan-comparison.ts';
import type { Ask, Compared, Origins } from './thread-messages.ts';

export interface CompareSitemapOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'put'>;
  readonly log: Log;
  readonly openSink: OpenChangeSink;
  readonly onCounted: OnCounted;
  /** Slots of the table, for tests. */
  readonly maxSlots?: number;
}

/** Files of this sitemap cannot be compared. */
export class NotComparable extends Error {
  override readonly name = 'NotComparable';
}

const MAX_SAMPLES = 100;
const NOTHING = { added: 0, changed: 0, removed: 0 };

/** What is known before anything is read. */
interface Uploads {
  readonly live: readonly UploadFile[];
  /** Undefined: there is none, or it is gone. */
  readonly former: readonly UploadFile[] | undefined;
  readonly formerOrigins: Origins | undefined;
}

/** Throws Overtaken and NotComparable. `signal`: stops it. */
export async function compareSitemap(
  options: CompareSitemapOptions,
  thread: ComparisonThread,
  due: DueComparison,
  signal: AbortSignal,
): Promise<EndedComparison> {
  const startedAt = performance.now();
  const uploads = await readUploads(options.database, due);
  const state = uploads.former !== undefined ? 'compared' : due.formerUploadId === null ? 'first' : 'unknown';
  const attempt = (isWary: boolean) =>
    tryToCompare(options, { thread, due, uploads, signal, isWary }, (compared, samples, sink) => {
      const ended: EndedComparison = { state, counts: compared.counts, samples, parts: compared.parts };
      return record(options, due, ended, {
        sink,
        origins: originsOf(uploads, compared),
        seconds: (performance.now() - startedAt) / 1000,
      });
    });
  const ended = (await attempt(false)) ?? (await attempt(true));
  if (ended === undefined) throw new NotComparable('the table is full');
  return ended;
}

/** Gives the comparison up: the live upload is what the next one is compared with. Throws Overtaken. */
export async function giveUpComparison(
  options: CompareSitemapOptions,
  due: DueComparison,
): Promise<EndedComparison> {
  const samples = { added: [], changed: [], removed: [] };
  const ended: EndedComparison = { state: 'unknown', counts: NOTHING, samples, parts: 0 };
  return record(options, due, ended, { sink: undefined, origins: undefined, seconds: 0 });
}

async function readUploads(
  database: Database,
  { uploadId, formerUploadId }: DueComparison,
): Promise<Uploads> {
  const live = await findUploadFiles(database, uploadId);
  // An upload that was live until now is replaced, and collected.
  if (live === undefined) throw new Overtaken('the upload is gone');
  const former = formerUploadId === null ? undefined : await findUploadFiles(database, formerUploadId);
  const formerOrigins = former && (await findOrigins(database, formerUploadId!));
  return { live, former, formerOrigins };
}

/** An upload without a former one is only counted. */
function originsOf({ formerOrigins }: Uploads, { origins }: Compared): Origins {
  return replaceOrigins(formerOrigins ?? origins.counted, {
    former: formerOrigins === undefined ? {} : origins.former,
    live: origins.live,
  });
}

interface Attempt {
  readonly thread: ComparisonThread;
  readonly due: DueComparison;
  readonly uploads: Uploads;
  readonly signal: AbortSignal;
  readonly isWary: boolean;
}

type Finish = (
  compared: Compared,
  samples: EndedComparison['samples'],
  sink: ChangeSink | undefined,
) => Promise<EndedComparison>;

/** Returns undefined if there was no room for all URLs. */
async function tryToCompare(
  options: CompareSitemapOptions,
  { thread, due, uploads, signal, isWary }: Attempt,
  finish: Finish,
): Promise<EndedComparison | undefined> {
  const { live, former, formerOrigins } = uploads;
  const { maxSlots } = options;
  const task =
    former === undefined
      ? { former: [], live: [], counted: live, room: 0, maxSlots: 0 }
      : planComparison(former, live, {
          hasOrigins: formerOrigins !== undefined,
          isWary,
          ...(maxSlots !== undefined && { maxSlots }),
        });
  const formerUploadId = due.formerUploadId;
  const sink =
    former === undefined || formerUploadId === null
      ? undefined
      : await options.openSink({ ...identityOf(due), formerUploadId });
  const samples: Record<ChangeKind, string[]> = { added: [], changed: [], removed: [] };
  let isKept = false;
  try {
    const needsThread = task.former.length + task.live.length + task.counted.length > 0;
    const end = needsThread
      ? await thread.run(task, (ask) => answer(options, due, { ask, sink, samples }), signal)
      : UNCHANGED;
    if (end.kind === 'damaged') throw new NotComparable(end.message);
    if (end.kind === 'full') return undefined;
    signal.throwIfAborted();
    isKept = true;
    return await finish(end, samples, sink);
  } finally {
    if (!isKept) await sink?.discard();
  }
}

/** Both uploads have the same files. */
const UNCHANGED: Compared = {
  kind: 'compared',
  counts: NOTHING,
  parts: 0,
  origins: { former: {}, live: {}, counted: {} },
};

async function answer(
  { storage }: CompareSitemapOptions,
  { uploadId, formerUploadId }: DueComparison,
  { ask, sink, samples }: { ask: Ask; sink: ChangeSink | undefined; samples: Record<ChangeKind, string[]> },
): Promise<Uint8Array | undefined> {
  if (ask.kind === 'read') {
    return readObject(storage, uploadFileKey(ask.side === 'live' ? uploadId : formerUploadId!, ask.n));
  }
  if (ask.kind === 'part') await storage.put(changesKey(uploadId, ask.n), [ask.bytes]);
  else {
    const { change, locs } = ask;
    samples[change].push(...locs.slice(0, MAX_SAMPLES - samples[change].length));
    await sink?.add(change, locs);
  }
  return undefined;
}

interface Recorded {
  readonly sink: ChangeSink | undefined;
  readonly origins: Origins | undefined;
  readonly seconds: number;
}

/** Throws Overtaken. */
async function record(
  { database, onCounted }: CompareSitemapOptions,
  due: DueComparison,
  ended: EndedComparison,
  { sink, origins, seconds }: Recorded,
): Promise<EndedComparison> {
  let isCommitted = false;
  try {
    await inTransaction(database, async (transaction) => {
      // In the order of publishers: the domain first.
      await lockDomain(transaction, due.domainId);
      if ((await lockComparison(transaction, due)) !== due.uploadId) {
        throw new Overtaken('another upload is live, or the sitemap is gone');
      }
      const kept = origins && keptOrigins(origins);
      await insertComparison(transaction, due, ended, { origins: kept, seconds });
      await endComparison(transaction, due);
      if (origins !== undefined) {
        await onCounted(transaction, { ...identityOf(due), origins: topOrigins(origins) });
      }
      // If the answer to COMMIT is lost, it may have happened.
      isCommitted = true;
      await sink?.commit(transaction);
    });
  } finally {
    if (!isCommitted) await sink?.discard();
  }
  return ended;
}

/** If the upload is gone, nobody knows of the objects that were stored for it since. */
export async function forgetParts(database: Database, { uploadId }: DueComparison): Promise<void> {
  const files = await findUploadFiles(database, uploadId);
  if (files === undefined) await addGarbage(database, [uploadPrefix(uploadId)], 0);
}

function identityOf({ accountId, domainId, hostname, sitemapName, uploadId }: DueComparison) {
  return { accountId, domainId, hostname, sitemapName, uploadId };
}
