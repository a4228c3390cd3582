/** Applies a group of deltas to the live generation of their sitemap: a thread makes the changed files, and the main thread stages them. */
import type { Database } from '../../../platform/postgres/database.ts';
import { type ObjectStorage, readObject, readObjectInto } from '../../../platform/storage/object-storage.ts';
import { fileHashesKey, uploadFileKey } from '../../sites/site.ts';
import { findSmallFile } from '../../sites/small-file-store.ts';
import { hasRoomForSmall, SMALL_FILE_BYTES } from '../../sites/small-files.ts';
import type { GenerationFile } from '../live-file-store.ts';
import { type PlacedUpload, placedFiles } from '../placement/place-upload.ts';
import type { Staging } from '../staging.ts';
import type { DeltaBase } from './base-store.ts';
import type { DeltaThreads } from './delta-threads.ts';
import type { DeltaAsk, Found } from './messages.ts';
import type { Operations } from './operations.ts';
import type { SmallFilesCache } from './small-files-cache.ts';

export interface ApplyDeltasOptions {
  readonly database: Database;
  readonly storage: Pick<ObjectStorage, 'get'>;
  readonly hashSeed: bigint;
  readonly deltaThreads: DeltaThreads;
  readonly smallFiles: SmallFilesCache;
}

interface ToApply {
  readonly accountId: string;
  /** The key of the sitemap. */
  readonly place: string;
  readonly base: DeltaBase;
  readonly files: readonly GenerationFile[];
  readonly staging: Staging;
  readonly operations: Operations;
  /** For each delta, the index after its last operation. */
  readonly requestEnds: Uint32Array;
  /** Judges the found changes. If it throws, nothing is written. */
  readonly judge: (found: Found) => void;
}

export interface Applied {
  readonly found: Found;
  /** Undefined if nothing changes. */
  readonly written: Written | undefined;
}

interface Written {
  readonly placed: PlacedUpload;
  /** The difference that the operations make to the digest of the base. */
  readonly digest: bigint;
  /** All files of the new generation. */
  readonly files: readonly GenerationFile[];
}

/** The most entries of a file, if no size limit of the sitemap is recorded. */
const MOST_ENTRIES = 50_000;

/** The error for a file of the live generation that is missing or damaged. */
export class DamagedBase extends Error {
  override readonly name = 'DamagedBase';
}

/** Throws DamagedBase, ThreadDied, and the errors of `judge`. */
export async function applyDeltas(options: ApplyDeltasOptions, toApply: ToApply): Promise<Applied> {
  const { deltaThreads, hashSeed } = options;
  const { base, files, staging, operations, requestEnds, judge } = toApply;
  const filesBefore = staging.files.length;
  const mayBeSmall = hasRoomForSmall(files);
  let found: Found | undefined;
  let refused: { readonly error: unknown } | undefined;
  const answer = async (ask: DeltaAsk): Promise<Uint8Array | undefined> => {
    switch (ask.kind) {
      case 'found':
        found = ask.found;
        try {
          judge(found);
          return new Uint8Array(1);
        } catch (error) {
          refused = { error };
          return undefined;
        }
      case 'file':
        await staging.addPlaced(ask.file, mayBeSmall);
        return undefined;
      case 'hashes': {
        const { uploadId, uploadN } = files[ask.n - 1]!;
        return readObjectInto(options.storage, fileHashesKey(uploadId, uploadN), ask.into);
      }
      case 'read':
        return readFile(options, files[ask.n - 1]!);
    }
  };
  const end = await deltaThreads.run(
    toApply.accountId,
    toApply.place,
    {
      seed: hashSeed,
      entriesPerFile: base.print?.entriesPerFile ?? MOST_ENTRIES,
      former: files.map(({ n, entries, bytes, etag, uploadId, uploadN }) => ({
        ...{ n, entries, bytes, etag, uploadId, uploadN },
      })),
      uploadId: staging.uploadId,
      ...{ filesBefore, operations, requestEnds },
    },
    answer,
  );
  if (refused !== undefined) throw refused.error;
  if (end.kind === 'damaged') throw new DamagedBase(end.message);
  if (end.kind === 'nothing') return { found: found!, written: undefined };
  await staging.settle();
  const { uploadId } = staging;
  const made = staging.files.slice(filesBefore);
  for (const { n, content } of made) {
    if (content !== undefined) options.smallFiles.add(uploadId, n, content);
  }
  const { placed, files: now } = placedFiles(base, files, made, { uploadId, positions: end.positions });
  return { found: found!, written: { placed, digest: end.digest, files: now } };
}

async function readFile(
  options: ApplyDeltasOptions,
  { uploadId, uploadN, gzipBytes }: GenerationFile,
): Promise<Uint8Array | undefined> {
  const small = gzipBytes <= SMALL_FILE_BYTES ? await readSmallFile(options, uploadId, uploadN) : undefined;
  if (small === undefined) return readObject(options.storage, uploadFileKey(uploadId, uploadN));
  // The answer is transferred to the thread, so give it a copy.
  return Buffer.from(small);
}

async function readSmallFile(
  { database, smallFiles }: ApplyDeltasOptions,
  uploadId: string,
  n: number,
): Promise<Buffer | undefined> {
  const known = smallFiles.get(uploadId, n);
  if (known !== undefined) return known;
  const found = await findSmallFile(database, uploadId, n);
  if (found !== undefined) smallFiles.add(uploadId, n, found);
  return found;
}
