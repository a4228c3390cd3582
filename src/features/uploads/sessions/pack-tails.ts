/**
 * Packs the small files of a session. The last file of a part is its tail, unless the file is full. The fragments of tails are cut into new
 * files, which stand behind all other files. If all tails together have too many bytes, only the smaller tails are packed. The choice of
 * the tails depends on the parts alone, so a repeated commit makes the same files.
 */
import { pMapIterable } from 'p-map';
import { ENTRIES_PER_FILE, type SizeLimit } from '../../../core/sitemap/limits.ts';
import { type ObjectStorage, readObject } from '../../../platform/storage/object-storage.ts';
import { cutFiles } from '../../sites/cut-files.ts';
import type { Fragment } from '../../sites/fragment.ts';
import { uploadFileKey } from '../../sites/site.ts';
import { readFragments } from '../read-fragments.ts';
import type { StagedFile, Staging } from '../staging.ts';
import type { StoredPart } from './part-store.ts';

/** The most bytes that a commit packs. Tails below the last threshold are packed even if they have more bytes together. */
const MAX_PACKED_BYTES = 128 * 1024 * 1024;
/**
 * Sizes of tails, as fractions of a full file. A commit packs all tails below the first size that leaves at most MAX_PACKED_BYTES to pack.
 */
const THRESHOLDS = [Number.POSITIVE_INFINITY, 1 / 2, 1 / 5, 1 / 50];

interface ArrangedFiles {
  /** The files that stay, in the order of the parts. */
  readonly kept: readonly StagedFile[];
  /** The tails to pack into new files, in the order of the parts: none, or at least two. */
  readonly packed: readonly StagedFile[];
}

/** Chooses the files to pack. `parts`: in the order of their numbers. */
export function arrangeFiles(
  parts: readonly Pick<StoredPart, 'files'>[],
  sizeLimit: SizeLimit,
): ArrangedFiles {
  const full = ENTRIES_PER_FILE[sizeLimit];
  const tails = parts.flatMap(({ files }) => files.slice(-1)).filter(({ entries }) => entries < full);
  const below = (threshold: number) => tails.filter(({ entries }) => entries < threshold * full);
  const bytesOf = (files: readonly StagedFile[]) => files.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);
  const fits = THRESHOLDS.find((threshold) => bytesOf(below(threshold)) <= MAX_PACKED_BYTES);
  const packed = below(fits ?? THRESHOLDS.at(-1)!);
  const isPacked = new Set(packed.length > 1 ? packed : []);
  const kept = parts.flatMap(({ files }) => files.filter((file) => !isPacked.has(file)));
  return { kept, packed: [...isPacked] };
}

/** Stages the new files of the tails. These files belong to the upload of `staging`, and are objects. */
export async function packTails(
  storage: Pick<ObjectStorage, 'get'>,
  staging: Staging,
  tails: readonly StagedFile[],
  sizeLimit: SizeLimit,
): Promise<StagedFile[]> {
  const first = staging.files.length;
  const fragments = fragmentsOf(storage, staging.uploadId, tails);
  for await (const file of cutFiles(fragments, () => ENTRIES_PER_FILE[sizeLimit])) await staging.add(file);
  await staging.settle();
  return staging.files.slice(first);
}

const READ_AHEAD = 16;

async function* fragmentsOf(
  storage: Pick<ObjectStorage, 'get'>,
  uploadId: string,
  tails: readonly StagedFile[],
): AsyncGenerator<Fragment, void, undefined> {
  const read = async (tail: StagedFile) => {
    const content = await readObject(storage, uploadFileKey(uploadId, tail.n));
    if (content === undefined) throw new Error(`file ${tail.n} of upload ${uploadId} is gone`);
    return { ...tail, content };
  };
  for await (const file of pMapIterable(tails, read, { concurrency: READ_AHEAD })) {
    yield* readFragments(storage, { uploadId, files: [file] });
  }
}
