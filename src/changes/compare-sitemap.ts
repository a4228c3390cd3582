/**
 * Compares the live upload of a sitemap with the one that was last compared, and records what changed:
 *
 * ```
 * files of both → the ones that differ → a thread → lists of URLs → the sink and stored lines → one transaction
 * ```
 * Uploads that were replaced before anybody compared them are skipped. Whatever fails is done again from the start, with a
 * new sink and over the same objects.
 */
import type { Database } from '../platform/postgres/database.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { createReadUploadFile, type ReadUploadFile } from '../sites/read-upload-file.ts';
import { changesKey } from '../sites/site.ts';
import type { ChangeKind, ChangeSink, OpenChangeSink } from './comparison.ts';
import {
  type EndedComparison,
  findOrigins,
  findUploadFiles,
  markParts,
  type UploadFile,
} from './comparison-store.ts';
import type { ComparisonThread } from './comparison-thread.ts';
import type { DueComparison } from './due-comparison-store.ts';
import { Overtaken } from './hold-comparison.ts';
import { replaceOrigins } from './origins.ts';
import { planComparison } from './plan-comparison.ts';
import { identityOf, type RecordOptions, recordComparison } from './record-comparison.ts';
import type { Ask, Compared, CompareTask, Origins } from './thread-messages.ts';

export interface CompareSitemapOptions extends RecordOptions {
  readonly storage: Pick<ObjectStorage, 'get' | 'put'>;
  readonly openSink: OpenChangeSink;
  /** Slots of the table, for tests. */
  readonly maxSlots?: number;
}

/** Files of this sitemap cannot be compared. */
export class NotComparable extends Error {
  override readonly name = 'NotComparable';
}

const MAX_SAMPLES = 100;

/** What is known before anything is read. */
interface Uploads {
  readonly live: readonly UploadFile[];
  /** Undefined: there is none, or it is gone. */
  readonly former: readonly UploadFile[] | undefined;
  readonly formerOrigins: Origins | undefined;
  readonly readFile: ReadUploadFile;
}

/** Throws Overtaken and NotComparable. `signal`: stops it. */
export async function compareSitemap(
  options: CompareSitemapOptions,
  thread: ComparisonThread,
  due: DueComparison,
  signal: AbortSignal,
): Promise<EndedComparison> {
  const startedAt = performance.now();
  const uploads = await readUploads(options, due);
  const parts = new StoredParts(options, due.uploadId);
  const state = uploads.former !== undefined ? 'compared' : due.formerUploadId === null ? 'first' : 'unknown';
  const attempt = (isWary: boolean) =>
    tryToCompare(
      options,
      { thread, due, uploads, parts, signal, isWary },
      async (compared, samples, sink) => {
        const ended: EndedComparison = { state, counts: compared.counts, samples, parts: compared.parts };
        return recordComparison(options, due, ended, {
          sink,
          origins: originsOf(uploads, compared),
          onlyParts: !isWary && (await parts.areAll()) ? compared.parts : undefined,
          seconds: (performance.now() - startedAt) / 1000,
        });
      },
    );
  const ended = (await attempt(false)) ?? (await attempt(true));
  if (ended === undefined) throw new NotComparable('the table is full');
  return ended;
}

async function readUploads(
  { database, storage }: CompareSitemapOptions,
  { uploadId, formerUploadId }: DueComparison,
): Promise<Uploads> {
  const live = await findUploadFiles(database, uploadId);
  // An upload that was live until now is replaced, and collected.
  if (live === undefined) throw new Overtaken('the upload is gone');
  const former = formerUploadId === null ? undefined : await findUploadFiles(database, formerUploadId);
  const formerOrigins = former && (await findOrigins(database, formerUploadId!));
  // A rollback has files of other uploads.
  const uploadIds = new Set([...live, ...(former ?? [])].map((file) => file.uploadId));
  const readFile = createReadUploadFile({ database, storage }, [...uploadIds]);
  return { live, former, formerOrigins, readFile };
}

/** The counts of the former upload, or of the files that both have, and what differs. */
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
}

type Finish = (
  compared: Compared,
  samples: EndedComparison['samples'],
  sink: ChangeSink | undefined,
) => Promise<EndedComparison>;

/** Returns undefined if there was no room for all URLs. */
async function tryToCompare(
  options: CompareSitemapOptions,
  { thread, due, uploads, parts, signal, isWary }: Attempt,
  finish: Finish,
): Promise<EndedComparison | undefined> {
  const task = taskOf(uploads, isWary, options.maxSlots);
  const { formerUploadId } = due;
  const sink =
    uploads.former === undefined || formerUploadId === null
      ? undefined
      : await options.openSink({ ...identityOf(due), formerUploadId });
  const samples: Record<ChangeKind, string[]> = { added: [], changed: [], removed: [] };
  let isKept = false;
  try {
    const needsThread = task.former.length + task.live.length + task.counted.length > 0;
    const end = needsThread
      ? await thread.run(task, (ask) => answer({ uploads, parts }, { ask, sink, samples }), signal)
      : UNCHANGED;
    if (end.kind === 'damaged') {
      await refuseGone(options.database, due, uploads);
      throw new NotComparable(end.message);
    }
    if (end.kind === 'full') return undefined;
    await sink?.settle();
    signal.throwIfAborted();
    isKept = true;
    return await finish(end, samples, sink);
  } finally {
    if (!isKept) await sink?.discard();
  }
}

/** The files of an upload that is deleted meanwhile are not damaged. Throws Overtaken. */
async function refuseGone(
  database: Database,
  { uploadId, formerUploadId }: DueComparison,
  { former }: Uploads,
): Promise<void> {
  const isGone = async (id: string) => (await findUploadFiles(database, id)) === undefined;
  if ((await isGone(uploadId)) || (former !== undefined && (await isGone(formerUploadId!)))) {
    throw new Overtaken('an upload is gone');
  }
}

/** An upload without a former one is only counted. */
function taskOf({ live, former, formerOrigins }: Uploads, isWary: boolean, maxSlots?: number): CompareTask {
  if (former === undefined) return { former: [], live: [], counted: live, room: 0, maxSlots: 0 };
  const hasOrigins = formerOrigins !== undefined;
  return planComparison(former, live, { hasOrigins, isWary, ...(maxSlots !== undefined && { maxSlots }) });
}

/** The parts of a list of changes in the store. */
class StoredParts {
  readonly #options: CompareSitemapOptions;
  readonly #uploadId: string;
  #marked: Promise<boolean> | undefined;

  constructor(options: CompareSitemapOptions, uploadId: string) {
    this.#options = options;
    this.#uploadId = uploadId;
  }

  async put(n: number, bytes: Uint8Array): Promise<void> {
    const { database, storage } = this.#options;
    this.#marked ??= markParts(database, this.#uploadId);
    await this.#marked;
    await storage.put(changesKey(this.#uploadId, n), [bytes]);
  }

  /** Whether the upload has no other objects. */
  async areAll(): Promise<boolean> {
    return (await this.#marked) === true;
  }
}

/** Both uploads have the same files. */
const UNCHANGED: Compared = {
  kind: 'compared',
  counts: { added: 0, changed: 0, removed: 0 },
  parts: 0,
  origins: { former: {}, live: {}, counted: {} },
};

async function answer(
  { uploads, parts }: Pick<Attempt, 'uploads' | 'parts'>,
  { ask, sink, samples }: { ask: Ask; sink: ChangeSink | undefined; samples: Record<ChangeKind, string[]> },
): Promise<Uint8Array | undefined> {
  if (ask.kind === 'read') {
    const { uploadId, uploadN } = uploads[ask.side]![ask.n - 1]!;
    return uploads.readFile(uploadId, uploadN);
  }
  if (ask.kind === 'part') await parts.put(ask.n, ask.bytes);
  else {
    const { change, locs } = ask;
    samples[change].push(...locs.slice(0, MAX_SAMPLES - samples[change].length));
    await sink?.add(change, locs);
  }
  return undefined;
}
