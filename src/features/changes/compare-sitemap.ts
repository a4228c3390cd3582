/**
 * Compares the live upload of a sitemap with the upload that was compared last, and records the changes:
 *
 * ``` files of both uploads → files that differ → the thread → lists of changed URLs → the sink, stored lines → one transaction ``` An
 * upload that was replaced before its comparison is skipped. A failed comparison starts again from the beginning, with a new sink. The new
 * attempt overwrites the objects of the failed one.
 */
import type { Database } from '../../platform/postgres/database.ts';
import { LeaseLost } from '../../platform/postgres/lease.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import { areMany, type ChangedEntries, hasRecentSitemap, storePack } from '../entries/changed-entries.ts';
import type { ChangeKind } from '../entries/entry-kernel.ts';
import { createReadUploadFile, type ReadUploadFile } from '../sites/read-upload-file.ts';
import { changesKey, fileHashesKey } from '../sites/site.ts';
import { SMALL_FILE_BYTES } from '../sites/small-files.ts';
import type { ChangeSink, ComparisonState, OpenChangeSink } from './comparison.ts';
import {
  type EndedComparison,
  findOrigins,
  findUploadFiles,
  haveOtherXml,
  markParts,
  type UploadFile,
} from './comparison-store.ts';
import type { ComparisonThread } from './comparison-thread.ts';
import type { DueComparison } from './due-comparison-store.ts';
import { replaceOrigins } from './origins.ts';
import { type ComparisonPlan, planComparison } from './plan-comparison.ts';
import { identityOf, type RecordOptions, recordComparison } from './record-comparison.ts';
import { type Ask, type Compared, type CompareTask, type Origins, UNCHANGED } from './thread-messages.ts';

export interface CompareSitemapOptions extends RecordOptions {
  readonly storage: Pick<ObjectStorage, 'get' | 'put'>;
  readonly openSink: OpenChangeSink;
  /** The most slots of the hash table, for tests. */
  readonly maxSlots?: number;
}

/** The error for a sitemap whose files cannot be compared. */
export class NotComparable extends Error {
  override readonly name = 'NotComparable';
}

const MAX_SAMPLES = 100;

/** The two uploads of a comparison, before their files are read. */
interface Uploads {
  readonly state: ComparisonState;
  readonly live: readonly UploadFile[];
  /** Undefined: the live upload cannot be compared, for the reason in `state`. */
  readonly former: readonly UploadFile[] | undefined;
  readonly formerOrigins: Origins | undefined;
  readonly readFile: ReadUploadFile;
}

/** Compares and records. Throws LeaseLost and NotComparable. `signal` stops the comparison. */
export async function compareSitemap(
  options: CompareSitemapOptions,
  thread: ComparisonThread,
  due: DueComparison,
  signal: AbortSignal,
): Promise<EndedComparison> {
  const startedAt = performance.now();
  const uploads = await readUploads(options, due);
  const parts = new StoredParts(options, due.uploadId);
  const hasRecent = await hasRecentSitemap(options.database, due.domainId);
  const attempt = (isWary: boolean) =>
    tryToCompare(options, { thread, due, uploads, parts, signal, isWary, hasRecent, startedAt });
  const ended = (await attempt(false)) ?? (await attempt(true));
  if (ended === undefined) throw new NotComparable('the table is full');
  return ended;
}

async function readUploads(
  { database, storage }: CompareSitemapOptions,
  { uploadId, formerUploadId }: DueComparison,
): Promise<Uploads> {
  const live = await findUploadFiles(database, uploadId);
  // After the lease was taken, the upload was replaced and collected.
  if (live === undefined) throw new LeaseLost('the upload is gone');
  const { state, former } = await readFormer(database, uploadId, formerUploadId);
  const formerOrigins = former && (await findOrigins(database, formerUploadId!)).origins;
  // The upload of a rollback or of a delta has files of other uploads.
  const uploadIds = new Set([...live, ...(former ?? [])].map((file) => file.uploadId));
  const readFile = createReadUploadFile({ database, storage }, [...uploadIds]);
  return { state, live, former, formerOrigins, readFile };
}

async function readFormer(
  database: Database,
  uploadId: string,
  formerUploadId: string | null,
): Promise<Pick<Uploads, 'state' | 'former'>> {
  if (formerUploadId === null) return { state: 'first', former: undefined };
  const former = await findUploadFiles(database, formerUploadId);
  if (former === undefined) return { state: 'unknown', former };
  const isRewritten = await haveOtherXml(database, uploadId, formerUploadId);
  return isRewritten ? { state: 'rewritten', former: undefined } : { state: 'compared', former };
}

/**
 * Returns the origins of the live upload. Starts from the origins of the former upload. If they are unknown, starts from the origins of the
 * files that both uploads have.
 */
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
  readonly parts: StoredParts;
  readonly signal: AbortSignal;
  readonly isWary: boolean;
  /** Whether the domain has a sitemap of recent changes, for which the changed entries are packed. */
  readonly hasRecent: boolean;
  /** By `performance.now()`. */
  readonly startedAt: number;
}

/** The samples and the pack from the messages of the thread so far. */
interface Received {
  readonly samples: Record<ChangeKind, string[]>;
  pack?: Buffer;
}

/** Returns the changes for the sitemap of recent changes; undefined if nothing changed. */
async function changedEntries(
  options: CompareSitemapOptions,
  { domainId }: DueComparison,
  { state, live }: Uploads,
  { compared: { counts }, pack }: { compared: Compared; pack: Buffer | undefined },
): Promise<ChangedEntries | undefined> {
  if (state !== 'compared') return { leftOut: state === 'rewritten' ? 'xml-version' : state };
  const { added, changed, removed } = counts;
  if (added + changed + removed === 0) return undefined;
  const urls = live.reduce((sum, { entries }) => sum + entries, 0);
  if (areMany(added + changed, urls)) return { leftOut: 'many-changes' };
  return pack === undefined ? { leftOut: 'limit' } : storePack(options, domainId, pack);
}

/** Compares the files, and records the changes. Returns undefined if the hash table had no room for all URLs. */
async function tryToCompare(
  options: CompareSitemapOptions,
  attempt: Attempt,
): Promise<EndedComparison | undefined> {
  const { thread, due, uploads, parts, signal, isWary, hasRecent } = attempt;
  const { formerUploadId } = due;
  const sink =
    uploads.former === undefined || formerUploadId === null
      ? undefined
      : await options.openSink({ ...identityOf(due), formerUploadId });
  const task: CompareTask = {
    ...planOf(uploads, isWary, options.maxSlots),
    mostTold: sink === undefined ? MAX_SAMPLES : Number.POSITIVE_INFINITY,
    packFor: hasRecent ? due.sitemapName : undefined,
  };
  const received: Received = { samples: { added: [], changed: [], removed: [] } };
  let isKept = false;
  try {
    const needsThread = task.former.length + task.live.length + task.counted.length > 0;
    const end = needsThread
      ? await thread.run(task, (ask) => answer(options, { uploads, parts }, { ask, sink, received }), signal)
      : UNCHANGED;
    if (end.kind === 'damaged') {
      await refuseGone(options.database, due, uploads);
      throw new NotComparable(end.message);
    }
    if (end.kind === 'full') return undefined;
    await sink?.settle();
    signal.throwIfAborted();
    isKept = true;
    return await record(options, attempt, end, received, sink);
  } finally {
    if (!isKept) await sink?.discard();
  }
}

async function record(
  options: CompareSitemapOptions,
  { due, uploads, parts, isWary, hasRecent, startedAt }: Attempt,
  compared: Compared,
  { samples, pack }: Received,
  sink: ChangeSink | undefined,
): Promise<EndedComparison> {
  // `parts.list` may be the list of the first attempt, which was given up. So use it only if this attempt has one part.
  const list = compared.parts === 1 ? parts.list : undefined;
  const stored = list === undefined ? compared.parts : 0;
  const ended = { state: uploads.state, counts: compared.counts, samples, parts: stored };
  return recordComparison(options, due, ended, {
    ...{ sink, list },
    origins: originsOf(uploads, compared),
    onlyParts: !isWary && (await parts.areAll()) ? stored : undefined,
    changed: hasRecent ? await changedEntries(options, due, uploads, { compared, pack }) : undefined,
    seconds: (performance.now() - startedAt) / 1000,
  });
}

/** Throws LeaseLost if an upload of the comparison was deleted meanwhile. Missing files of a deleted upload are no damage. */
async function refuseGone(
  database: Database,
  { uploadId, formerUploadId }: DueComparison,
  { former }: Uploads,
): Promise<void> {
  const isGone = async (id: string) => (await findUploadFiles(database, id)) === undefined;
  if ((await isGone(uploadId)) || (former !== undefined && (await isGone(formerUploadId!)))) {
    throw new LeaseLost('an upload is gone');
  }
}

/** Without a former upload to compare with, the URLs of the live upload are only counted. */
function planOf(
  { live, former, formerOrigins }: Uploads,
  isWary: boolean,
  maxSlots?: number,
): ComparisonPlan {
  if (former === undefined) return { former: [], live: [], counted: live, room: 0, maxSlots: 0 };
  const hasOrigins = formerOrigins !== undefined;
  return planComparison(former, live, { hasOrigins, isWary, ...(maxSlots !== undefined && { maxSlots }) });
}

/** Stores the parts of a list of changes. A list of one small part stays in memory, for the row of the comparison. */
class StoredParts {
  readonly #options: CompareSitemapOptions;
  readonly #uploadId: string;
  #marked: Promise<boolean> | undefined;
  /** The list of changes while it is one small part. Undefined: the list is in the store, or nothing changed. */
  list: Buffer | undefined;

  constructor(options: CompareSitemapOptions, uploadId: string) {
    this.#options = options;
    this.#uploadId = uploadId;
  }

  /** Stores part `n`, or keeps it in memory while it may be the only part. Parts come in order. */
  async put(n: number, bytes: Uint8Array): Promise<void> {
    const held = this.list;
    this.list = undefined;
    if (n === 1 && bytes.length <= SMALL_FILE_BYTES) {
      this.list = Buffer.from(bytes);
      return;
    }
    if (n > 1 && held !== undefined) await this.#store(1, held);
    await this.#store(n, bytes);
  }

  async #store(n: number, bytes: Uint8Array): Promise<void> {
    const { database, storage } = this.#options;
    this.#marked ??= markParts(database, this.#uploadId);
    await this.#marked;
    await storage.put(changesKey(this.#uploadId, n), [bytes]);
  }

  /** Returns true if parts were stored and the upload has no other objects. */
  async areAll(): Promise<boolean> {
    return (await this.#marked) === true;
  }
}

async function answer(
  { storage }: CompareSitemapOptions,
  { uploads, parts }: Pick<Attempt, 'uploads' | 'parts'>,
  { ask, sink, received }: { ask: Ask; sink: ChangeSink | undefined; received: Received },
): Promise<Uint8Array | undefined> {
  if (ask.kind === 'read' || ask.kind === 'hashes') {
    const { uploadId, uploadN } = uploads[ask.side]![ask.n - 1]!;
    if (ask.kind === 'read') return uploads.readFile(uploadId, uploadN);
    return readObject(storage, fileHashesKey(uploadId, uploadN));
  }
  if (ask.kind === 'part') await parts.put(ask.n, ask.bytes);
  else if (ask.kind === 'pack') received.pack = Buffer.from(ask.bytes.buffer);
  else {
    const { samples } = received;
    const { change, locs } = ask;
    samples[change].push(...locs.slice(0, MAX_SAMPLES - samples[change].length));
    await sink?.add(change, locs);
  }
  return undefined;
}
