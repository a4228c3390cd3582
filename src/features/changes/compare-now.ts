/** Compares the files of two uploads on request, and records nothing (docs/decisions/0059). */
import type { Turns } from '../../platform/concurrency/turns.ts';
import { LineParts } from '../../platform/gzip/line-parts.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';
import { type ChangeKind, DamagedFile } from '../entries/entry-kernel.ts';
import { addGarbage } from '../sites/garbage-store.ts';
import { createReadUploadFile } from '../sites/read-upload-file.ts';
import { changesKey, fileHashesKey, uploadPrefix } from '../sites/site.ts';
import { CHANGE_KINDS } from './comparison.ts';
import { type SitemapChanges, type UploadFile, withoutChanges } from './comparison-store.ts';
import type { ComparisonThread } from './comparison-thread.ts';
import { type DetailedChange, detailChanges, MAX_DETAILED } from './detail-changes.ts';
import { planComparison } from './plan-comparison.ts';
import { type Ask, type Compared, UNCHANGED } from './thread-messages.ts';

export interface CompareNowOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'put'>;
  readonly newId: NewId;
  readonly thread: ComparisonThread;
  /** Lets one comparison run at a time. */
  readonly turns: Turns;
}

export interface ComparedNow extends SitemapChanges {
  /** The changed members of the first changed entries. Empty if there are too many changes, or if the packs do not tell all changes. */
  readonly details: readonly DetailedChange[];
  /** The parts of the list, if it is wanted, are below `uploadPrefix(listId)`. */
  readonly listId: string;
}

interface Sides {
  readonly accountId: string;
  readonly uploadId: string;
  readonly formerUploadId: string;
  /** Whether the two uploads have XML of different versions. All files of such uploads differ, so no file is read. */
  readonly haveOtherXml: boolean;
  /** The time of the request, by the clock of the database. */
  readonly askedAt: Date;
  /** Reads the rows of the files of both uploads. Called when the comparison has its turn. */
  readonly files: () => Promise<Files>;
}

interface Files {
  readonly former: readonly UploadFile[];
  readonly live: readonly UploadFile[];
}

const MAX_SAMPLES = 100;
const LINES_AT_ONCE = 1000;
/** The list of a comparison can be read for this time. */
const LIST_KEPT_MS = 3_600_000;

/**
 * Compares two uploads. `isListed`: whether the list of changes is wanted, and not only counts and samples. Throws Refusal CONFLICT for
 * damaged files, and the reason of `signal`.
 */
export async function compareNow(
  options: CompareNowOptions,
  { accountId, uploadId, formerUploadId, haveOtherXml, askedAt, files: findFiles }: Sides,
  isListed: boolean,
  signal: AbortSignal,
): Promise<ComparedNow> {
  const listId = options.newId('upload');
  const ids = { uploadId, formerUploadId, listId };
  const samples: Record<ChangeKind, string[]> = { added: [], changed: [], removed: [] };
  if (haveOtherXml) {
    return { ...ids, details: [], ended: { ...withoutChanges('rewritten'), endedAt: askedAt } };
  }
  const { counts, parts, details } = await options.turns.run(accountId, async () => {
    // The client may have left while others had their turns.
    signal.throwIfAborted();
    const files = await findFiles();
    const kept = { listId: isListed ? listId : undefined, samples, signal };
    const compared = await compare(options, files, kept);
    return { ...compared, ...(await detail(options, files, compared, kept)) };
  });
  const ended = { state: 'compared' as const, counts, samples, parts, endedAt: askedAt };
  return { ...ids, details, ended };
}

/**
 * Compares the uploads again with the sides exchanged, to get the pack of the former entries. Then writes the list again from the packs of
 * both sides, with the changed members of each entry. If there are too many changes, or if the packs do not tell all changes, the list
 * stays as it is.
 */
async function detail(
  options: CompareNowOptions,
  files: Files,
  { counts, parts, pack }: ComparedFiles,
  { listId, signal }: Pick<Kept, 'listId' | 'signal'>,
): Promise<{ readonly parts: number; readonly details: readonly DetailedChange[] }> {
  const { added, changed, removed } = counts;
  const asItIs = { parts, details: [] };
  const all = added + changed + removed;
  if (all === 0 || all > MAX_DETAILED) return asItIs;
  const reverse = await compare(
    options,
    { former: files.live, live: files.former },
    { listId: undefined, samples: { added: [], changed: [], removed: [] }, signal },
  );
  const changes = detailChanges(reverse.pack, pack);
  if (changes === undefined) return asItIs;
  const details: DetailedChange[] = [];
  const lines: string[] = [];
  const told = { added: 0, changed: 0, removed: 0 };
  try {
    for await (const one of changes) {
      told[one.change]++;
      if (one.change === 'changed' && details.length < MAX_SAMPLES) details.push(one);
      if (listId !== undefined) lines.push(`${JSON.stringify(one)}\n`);
    }
  } catch (error) {
    if (error instanceof DamagedFile) return asItIs;
    throw error;
  }
  // If a URL is in a sitemap several times, the packs may tell other changes than the counts. The counts are right, so omit the details.
  if (CHANGE_KINDS.some((kind) => told[kind] !== counts[kind])) return asItIs;
  if (listId === undefined) return { parts, details };
  const written = new LineParts((n, bytes) => options.storage.put(changesKey(listId, n), [bytes]));
  for (let i = 0; i < lines.length; i += LINES_AT_ONCE) {
    const some = lines.slice(i, i + LINES_AT_ONCE);
    await written.add(some.join(''), some.length);
  }
  return { parts: await written.end(), details };
}

interface ComparedFiles extends Compared {
  /** The added and changed entries of the live side. Undefined: there are no such entries, or too many. */
  readonly pack?: Buffer<ArrayBuffer> | undefined;
}

/** The places for the results of a comparison, and the signal that ends it. */
interface Kept {
  /** Undefined: no list is wanted. */
  readonly listId: string | undefined;
  readonly samples: Record<ChangeKind, string[]>;
  readonly signal: AbortSignal;
}

async function compare(
  { database, storage, thread }: CompareNowOptions,
  files: Files,
  { listId, samples, signal }: Kept,
): Promise<ComparedFiles> {
  const readFile = createReadUploadFile({ database, storage }, [
    ...new Set([...files.former, ...files.live].map(({ uploadId }) => uploadId)),
  ]);
  if (listId !== undefined) await addGarbage(database, [uploadPrefix(listId)], LIST_KEPT_MS);
  let pack: Buffer<ArrayBuffer> | undefined;
  const answer = async (ask: Ask): Promise<Uint8Array | undefined> => {
    if (ask.kind === 'read' || ask.kind === 'hashes') {
      const { uploadId, uploadN } = files[ask.side][ask.n - 1]!;
      if (ask.kind === 'read') return readFile(uploadId, uploadN);
      return readObject(storage, fileHashesKey(uploadId, uploadN));
    }
    if (ask.kind === 'part' && listId !== undefined)
      await storage.put(changesKey(listId, ask.n), [ask.bytes]);
    if (ask.kind === 'pack') pack = Buffer.from(ask.bytes.buffer);
    if (ask.kind === 'changes') {
      const { change, locs } = ask;
      samples[change].push(...locs.slice(0, MAX_SAMPLES - samples[change].length));
    }
    return undefined;
  };
  for (const isWary of [false, true]) {
    for (const kind of CHANGE_KINDS) samples[kind].length = 0;
    // The result has no counts by origin, so leave unchanged files unread.
    const planned = planComparison(files.former, files.live, { hasOrigins: true, isWary });
    if (planned.former.length + planned.live.length === 0) return UNCHANGED;
    pack = undefined;
    const end = await thread.run({ ...planned, mostTold: MAX_SAMPLES, packFor: '' }, answer, signal);
    if (end.kind === 'compared') return { ...end, pack };
    if (end.kind === 'damaged') throw damaged();
  }
  throw damaged();
}

function damaged(): Refusal {
  return new Refusal(
    'CONFLICT',
    'Files of these generations are missing or damaged, so they cannot be compared.',
  );
}
