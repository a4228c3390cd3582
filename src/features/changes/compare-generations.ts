/** Compares two kept generations of a sitemap for somebody who asks. Nothing of it is recorded (docs/decisions/0059). */
import { shownSitemapName } from '../../core/sitemap/file-names.ts';
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
import {
  findComparedGenerations,
  findUploadFiles,
  haveOtherXml,
  type SitemapChanges,
  type UploadFile,
} from './comparison-store.ts';
import type { ComparisonThread } from './comparison-thread.ts';
import { type DetailedChange, detailChanges, MAX_DETAILED } from './detail-changes.ts';
import { planComparison } from './plan-comparison.ts';
import { type Ask, type Compared, UNCHANGED } from './thread-messages.ts';

export interface CompareGenerationsOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get' | 'put'>;
  readonly newId: NewId;
  readonly thread: ComparisonThread;
  /** One comparison at a time. */
  readonly turns: Turns;
}

export interface ToCompare {
  readonly accountId: string;
  readonly domainId: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  /** The seqs of both generations. `to`: undefined for the live one. */
  readonly from: number;
  readonly to: number | undefined;
  /** Whether the list of changes is wanted, and not only counts and samples. */
  readonly isListed: boolean;
}

export interface ComparedGenerations extends SitemapChanges {
  /** What changed in the first changed entries. Empty if there are more changes than are told in detail. */
  readonly details: readonly DetailedChange[];
  /** The id below whose prefix the parts of the list are, if it is wanted. */
  readonly listId: string;
}

const MAX_SAMPLES = 100;
const LINES_AT_ONCE = 1000;
/** How long the list can be read. */
const LIST_KEPT_MS = 3_600_000;

/** Throws Refusal NOT_FOUND if there is no such sitemap or generation, and CONFLICT if one of them is no longer kept. */
export async function compareGenerations(
  options: CompareGenerationsOptions,
  toCompare: ToCompare,
): Promise<ComparedGenerations> {
  const { database } = options;
  const generations = await findComparedGenerations(database, toCompare);
  const find = (seq: number | undefined) => {
    const found = generations.find((one) => (seq === undefined ? one.isLive : one.seq === seq));
    if (found === undefined) throw notFound(toCompare, seq);
    if (!found.isLive && !found.isKept) throw notKept(found.seq);
    return found;
  };
  const [former, live] = [find(toCompare.from), find(toCompare.to)];
  const listId = options.newId('upload');
  const ids = { uploadId: live.id, formerUploadId: former.id, listId };
  const samples: Record<ChangeKind, string[]> = { added: [], changed: [], removed: [] };
  if (await haveOtherXml(database, live.id, former.id)) {
    const counts = { added: 0, changed: 0, removed: 0 };
    return {
      ...ids,
      details: [],
      ended: { state: 'rewritten', counts, samples, parts: 0, endedAt: live.askedAt },
    };
  }
  const { counts, parts, details } = await options.turns.run(toCompare.accountId, async () => {
    const files = { former: await filesOf(database, former), live: await filesOf(database, live) };
    const kept = { listId: toCompare.isListed ? listId : undefined, samples };
    const compared = await compare(options, files, kept);
    return { ...compared, ...(await detail(options, files, compared, kept.listId)) };
  });
  const ended = { state: 'compared' as const, counts, samples, parts, endedAt: live.askedAt };
  return { ...ids, details, ended };
}

/**
 * Compares in reverse, which packs the former entries, and writes the list again with what changed in each entry. If that is too
 * much, the list stays as it is.
 */
async function detail(
  options: CompareGenerationsOptions,
  files: Files,
  { counts, parts, pack }: ComparedFiles,
  listId: string | undefined,
): Promise<{ readonly parts: number; readonly details: readonly DetailedChange[] }> {
  const { added, changed, removed } = counts;
  const asItIs = { parts, details: [] };
  const all = added + changed + removed;
  if (all === 0 || all > MAX_DETAILED) return asItIs;
  const reverse = await compare(
    options,
    { former: files.live, live: files.former },
    { listId: undefined, samples: { added: [], changed: [], removed: [] } },
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
  // A URL that stands in a sitemap several times may be told otherwise than it is counted. The counts are right.
  if (CHANGE_KINDS.some((kind) => told[kind] !== counts[kind])) return asItIs;
  if (listId === undefined) return { parts, details };
  const written = new LineParts((n, bytes) => options.storage.put(changesKey(listId, n), [bytes]));
  for (let i = 0; i < lines.length; i += LINES_AT_ONCE) {
    const some = lines.slice(i, i + LINES_AT_ONCE);
    await written.add(some.join(''), some.length);
  }
  return { parts: await written.end(), details };
}

interface Files {
  readonly former: readonly UploadFile[];
  readonly live: readonly UploadFile[];
}

async function filesOf(
  database: Database,
  { id, seq }: { readonly id: string; readonly seq: number },
): Promise<readonly UploadFile[]> {
  const files = await findUploadFiles(database, id);
  // It was collected meanwhile.
  if (files === undefined) throw notKept(seq);
  return files;
}

interface ComparedFiles extends Compared {
  /** The entries that are new in the later files, as they are. Undefined: there are none, or too many. */
  readonly pack?: Buffer<ArrayBuffer> | undefined;
}

async function compare(
  { database, storage, thread }: CompareGenerationsOptions,
  files: Files,
  {
    listId,
    samples,
  }: { readonly listId: string | undefined; readonly samples: Record<ChangeKind, string[]> },
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
    // The origins of pages are not wanted, so no file is read for them alone.
    const planned = planComparison(files.former, files.live, { hasOrigins: true, isWary });
    if (planned.former.length + planned.live.length === 0) return UNCHANGED;
    pack = undefined;
    const task = { ...planned, packFor: '' };
    const end = await thread.run(task, answer, new AbortController().signal);
    if (end.kind === 'compared') return { ...end, pack };
    if (end.kind === 'damaged') throw damaged();
  }
  throw damaged();
}

function notFound({ sitemapName }: ToCompare, seq: number | undefined): Refusal {
  const name = shownSitemapName(sitemapName);
  const message =
    seq === undefined ? `There is no sitemap ${name}.` : `The sitemap ${name} has no generation ${seq}.`;
  return new Refusal('NOT_FOUND', message);
}

function notKept(generation: number): Refusal {
  return new Refusal('CONFLICT', `Generation ${generation} is no longer kept.`, { details: { generation } });
}

function damaged(): Refusal {
  return new Refusal(
    'CONFLICT',
    'Files of these generations are missing or damaged, so they cannot be compared.',
  );
}
