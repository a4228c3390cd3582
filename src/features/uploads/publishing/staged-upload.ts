/** Makes the publications of staged and of placed uploads, for `publishAlone`. */
import type { Transaction } from '../../../platform/postgres/database.ts';
import { addGarbage, rescueFromGarbage } from '../../sites/garbage-store.ts';
import { uploadFilePrefix, uploadPrefix } from '../../sites/site.ts';
import type { ContentPrint } from '../content-print.ts';
import type { PlacedUpload } from '../placement/place-upload.ts';
import { type StagedFile, sumFiles } from '../staging.ts';
import { insertPlacedUpload, insertUpload } from '../upload-store.ts';
import { endedAttempts, type Publication } from './publication.ts';
import type { LonePublication } from './publish-alone.ts';

export interface StagedUpload {
  readonly uploadId: string;
  /** The files in the order of the list. */
  readonly files: readonly StagedFile[];
  /** The staged files that are not published. */
  readonly unused?: readonly StagedFile[];
  /** Null if a version of Waypost without prints held the upload. */
  readonly print: ContentPrint | null;
  /** Whether the prefix of the upload is in `garbage`. */
  readonly hasObjects: boolean;
  /** Takes locks, after the locks of domains and before the locks of `garbage`. */
  readonly lock?: ((transaction: Transaction) => Promise<void>) | undefined;
  /** Called just before COMMIT. From then on the files may be live, even if the answer to COMMIT is lost. */
  keep(): void;
}

export type Asked = Pick<
  Publication,
  'uploader' | 'domain' | 'sitemapName' | 'terms' | 'attempts' | 'onPublished' | 'placement'
>;

/** The live generation is no longer the one for which the upload was placed. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Makes the publication of staged files in the order of the list. All files but the small ones must be in object storage. */
export function stagedUpload(asked: Asked, staged: StagedUpload): LonePublication {
  const { uploadId: id, files, print } = staged;
  const content = { ...sumFiles(files), print };
  return {
    ...asked,
    kind: 'upload',
    id,
    content,
    take: async (transaction) => {
      await takeObjects(transaction, staged);
      return content;
    },
    insert: (transaction, row) => insertUpload(transaction, row, files, endedAttempts(asked, row)),
    beforeCommit: () => staged.keep(),
  };
}

/** Makes the publication of the files of `placed`. The publication throws Overtaken if the live generation is no longer `placed.baseId`. */
export function placedUpload(asked: Asked, staged: StagedUpload, placed: PlacedUpload): LonePublication {
  const { uploadId: id, print } = staged;
  const content = { ...placed.totals, print };
  return {
    ...asked,
    placement: { placement: 'stable' },
    kind: 'upload',
    id,
    content,
    take: async (transaction, live) => {
      if (live?.id !== placed.baseId) throw new Overtaken();
      await takeObjects(transaction, staged);
      return content;
    },
    insert: (transaction, row) =>
      insertPlacedUpload(transaction, row, placed.touched, endedAttempts(asked, row)),
    beforeCommit: () => staged.keep(),
  };
}

/** The time after which unused objects are deleted. Until then, the store may still complete a put that timed out. */
export const UNUSED_MS = 60_000;

/** Removes the upload from `garbage`, and adds its files that are not published to `garbage`. */
export async function takeObjects(
  transaction: Transaction,
  {
    uploadId,
    unused = [],
    hasObjects,
    lock,
  }: Pick<StagedUpload, 'uploadId' | 'unused' | 'hasObjects' | 'lock'>,
): Promise<void> {
  await lock?.(transaction);
  if (hasObjects && !(await rescueFromGarbage(transaction, uploadPrefix(uploadId)))) {
    throw new Error(`upload ${uploadId} was collected before it was published`);
  }
  const prefixes = prefixesOf(uploadId, unused);
  if (prefixes.length > 0) await addGarbage(transaction, prefixes, UNUSED_MS);
}

export const numbersOf = (files: readonly StagedFile[]): ReadonlySet<number> =>
  new Set(files.map(({ n }) => n));

/** Returns the files whose numbers are not among `numbers`. */
export function filesBeside(files: readonly StagedFile[], numbers: ReadonlySet<number>): StagedFile[] {
  return files.filter(({ n }) => !numbers.has(n));
}

/** Returns the prefixes of the files that are objects. */
export function prefixesOf(uploadId: string, files: readonly StagedFile[]): string[] {
  return files.flatMap(({ n, content }) => (content === undefined ? [uploadFilePrefix(uploadId, n)] : []));
}
