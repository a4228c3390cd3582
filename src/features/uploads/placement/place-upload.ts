/**
 * Places a staged upload: the thread makes the files that change. These files are staged under the id of the upload, after the files that
 * have the entries of the upload in the order of the list. The live generation may change meanwhile, so the publication checks that it is
 * still live.
 */
import type { Turns } from '../../../platform/concurrency/turns.ts';
import type { Log } from '../../../platform/log.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { AskingThread } from '../../../platform/process/asking-thread.ts';
import { type ObjectStorage, readObject, readObjectInto } from '../../../platform/storage/object-storage.ts';
import { createReadUploadFile } from '../../sites/read-upload-file.ts';
import { fileHashesKey, uploadFileKey } from '../../sites/site.ts';
import { hasRoomForSmall } from '../../sites/small-files.ts';
import { type ContentPrint, isSameContent } from '../content-print.ts';
import { type GenerationFile, listFilesOfGeneration } from '../live-file-store.ts';
import { type FileTotals, type StagedFile, type Staging, sumFiles } from '../staging.ts';
import { findLiveGeneration, type LiveGeneration, type SitemapKey } from '../upload-store.ts';
import { holdPlacing } from './hold-placing.ts';
import type { PlaceAsk, PlaceEnd, PlacementReason, PlaceTask, Position } from './messages.ts';

const WORKER = new URL('../../../../workers/place-upload.ts', import.meta.url);
/** The thread ends after an upload with more URLs, because its memory has grown. */
const LARGE_URLS = 500_000;

type PlacementThread = AskingThread<PlaceTask, PlaceAsk, PlaceEnd>;

export function createPlacementThread(): PlacementThread {
  const urlsOf = (files: PlaceTask['live']) => files.reduce((sum, { entries }) => sum + entries, 0);
  return new AskingThread({ worker: WORKER, isLarge: ({ live }) => urlsOf(live) > LARGE_URLS });
}

export interface PlaceUploadOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get'>;
  readonly log: Log;
  readonly hashSeed: bigint;
  readonly placementThread: PlacementThread;
  /** One upload is placed at a time. */
  readonly placementTurns: Turns;
}

/** A file at a new place: file `n` of the sitemap is file `uploadN` of the upload `uploadId`. */
export interface NewPlace extends GenerationFile {
  /** The gzip bytes of a small file that is not stored yet. Absent for all other files. */
  readonly content?: Buffer;
}

export interface PlacedUpload {
  readonly kind: 'stable';
  /** The generation that must be live. */
  readonly baseId: string;
  /** The files that differ from those of the live generation. */
  readonly touched: readonly NewPlace[];
  readonly totals: FileTotals;
}

/** `reason` is undefined if there is nothing to place: the sitemap is new, or both it and the upload have one file. */
type Placement = PlacedUpload | { readonly kind: 'order'; readonly reason: PlacementReason | undefined };

interface ToPlace extends SitemapKey {
  /** The placement keeps deltas away until this scope ends. */
  readonly scope: AsyncDisposableStack;
  readonly accountId: string;
  readonly staging: Staging;
  /** The staged files, in the order in which the client sent the entries. */
  readonly ordered: readonly StagedFile[];
  readonly print: ContentPrint;
}

/** Throws if a file cannot be staged, or if the database fails. If the thread fails, the placement is `order`. */
export async function placeUpload(options: PlaceUploadOptions, upload: ToPlace): Promise<Placement> {
  const live = await findLiveGeneration(options.database, upload.domainId, upload.sitemapName);
  const inOrder = live === undefined ? { reason: undefined } : whyInOrder(live, upload);
  if (live === undefined || inOrder !== undefined) return { kind: 'order', reason: inOrder?.reason };
  const { accountId, scope } = upload;
  return options.placementTurns.run(accountId, async () => {
    scope.use(await holdPlacing(options.database, upload));
    // A delta may have come during the wait. The upload can be placed in the files of the delta as well.
    const base = await findLiveGeneration(options.database, upload.domainId, upload.sitemapName);
    if (base === undefined || whyInOrder(base, upload) !== undefined) {
      return { kind: 'order', reason: 'overtaken' };
    }
    const placement = await runThread(options, base, upload);
    await upload.staging.settle();
    return placement;
  });
}

/** Says why the upload is published in the order of its list. Returns undefined if it can be placed. */
function whyInOrder(
  live: LiveGeneration,
  { ordered, print }: ToPlace,
): { readonly reason: PlacementReason | undefined } | undefined {
  const content = { ...sumFiles(ordered), print };
  if (live.fileCount === 1 && ordered.length === 1) return { reason: undefined };
  // Without `force`, the transaction finds that nothing changes, and publishes nothing. With `force`, it publishes the upload.
  if (isSameContent(content, live)) return { reason: 'forced' };
  if (live.print?.xmlVersion !== print.xmlVersion) return { reason: 'xml-version' };
  if (live.print.entriesPerFile !== print.entriesPerFile) return { reason: 'size-limit' };
  return live.fileCount > 2 * ordered.length + 1 ? { reason: 'sparse' } : undefined;
}

async function runThread(
  { database, storage, log, hashSeed, placementThread }: PlaceUploadOptions,
  live: LiveGeneration,
  { domainId, sitemapName, staging, ordered, print }: ToPlace,
): Promise<Placement> {
  const { uploadId } = staging;
  const former = await listFilesOfGeneration(database, { domainId, sitemapName, seq: live.seq });
  if (former.length !== live.fileCount) return { kind: 'order', reason: 'overtaken' };
  const uploadIds = new Set(former.map((file) => file.uploadId));
  const readFormer = createReadUploadFile({ database, storage }, [...uploadIds]);
  const first = staging.files.length;
  const mayBeSmall = hasRoomForSmall(former);
  const answer = async (ask: PlaceAsk): Promise<Uint8Array | undefined> => {
    if (ask.kind === 'file') {
      await staging.addPlaced(ask.file, mayBeSmall);
      return undefined;
    }
    const { side, n } = ask;
    const place = side === 'former' ? former[n - 1]! : { uploadId, uploadN: ordered[n - 1]!.n };
    if (ask.kind === 'hashes')
      return readObjectInto(storage, fileHashesKey(place.uploadId, place.uploadN), ask.into);
    if (side === 'former') return readFormer(place.uploadId, place.uploadN);
    const { content } = ordered[n - 1]!;
    // The answer is transferred to the thread, and this process still needs the file. So give the thread a copy.
    return content === undefined
      ? readObject(storage, uploadFileKey(uploadId, place.uploadN))
      : Buffer.from(content);
  };
  const task = {
    seed: hashSeed,
    entriesPerFile: print.entriesPerFile,
    former: former.map(({ n, entries, bytes, etag }) => ({ n, entries, bytes, etag })),
    live: ordered.map(({ entries, bytes, fragments }, i) => ({ n: i + 1, entries, bytes, fragments })),
  };
  try {
    const end = await placementThread.run(task, answer, new AbortController().signal);
    if (end.kind === 'order') return end;
    const made = staging.files.slice(first);
    return placedFiles(live, former, made, { uploadId, positions: end.positions }).placed;
  } catch (err) {
    log.warn({ err, uploadId }, 'an upload could not be placed, and is published in the order of its list');
    return { kind: 'order', reason: 'unreadable' };
  }
}

/** Returns the files of the new generation: files of the live generation, and files that were made. */
export function placedFiles(
  live: LiveGeneration,
  former: readonly GenerationFile[],
  made: readonly StagedFile[],
  { uploadId, positions }: { readonly uploadId: string; readonly positions: readonly Position[] },
): { readonly placed: PlacedUpload; readonly files: readonly NewPlace[] } {
  const touched: NewPlace[] = [];
  const files: NewPlace[] = [];
  const totals = { urlCount: 0, fileCount: positions.length, bytes: 0, gzipBytes: 0 };
  for (const [i, position] of positions.entries()) {
    const n = i + 1;
    const file: NewPlace =
      'former' in position
        ? { ...former[position.former - 1]!, n }
        : { ...made[position.placed - 1]!, n, uploadId, uploadN: made[position.placed - 1]!.n };
    files.push(file);
    totals.urlCount += file.entries;
    totals.bytes += file.bytes;
    totals.gzipBytes += file.gzipBytes;
    if (!('former' in position) || position.former !== n) touched.push(file);
  }
  return { placed: { kind: 'stable', baseId: live.id, touched, totals }, files };
}
