/** The messages between the main thread and the thread that places uploads. The thread asks, and the main thread answers. */
import type { AnswerAsk } from '../../../platform/process/asking-thread.ts';
import type { Side, StoredFile } from '../../entries/entry-kernel.ts';
import type { FragmentPlace } from '../../sites/fragment.ts';

/** A file of the new upload, as it was staged in the order of its list. */
export interface OrderedFile extends StoredFile {
  readonly fragments: readonly FragmentPlace[];
}

/** A file of the live generation. */
export interface FormerFile extends StoredFile {
  /** The digest of the gzip bytes. */
  readonly etag: string;
}

export interface PlaceTask {
  /** The seed of the hashes of entries. Files with hashes of another seed are read as a whole. */
  readonly seed: bigint;
  readonly entriesPerFile: number;
  /** The files of the live generation. */
  readonly former: readonly FormerFile[];
  /** The files of the new upload. */
  readonly live: readonly OrderedFile[];
}

/**
 * Why an upload is published in the order of its list:
 *
 * | reason | means |
 * |---|---|
 * | size-limit | the live generation has another `sizeLimit` |
 * | xml-version | another version of our XML wrote the live generation, or no version is recorded |
 * | many-changes | too much changes (limits: `place-files.ts`), or the join takes too many steps (`join-entries.ts`, `slice-table.ts`) |
 * | sparse | the live generation has over twice as many files as it needs |
 * | overtaken | other generations were published while the upload was placed |
 * | unreadable | a file of the live generation is missing or damaged, or the thread failed |
 * | limits | in the files of the live generation, the upload would exceed a limit of files or bytes |
 * | forced | the content is the same, and `force` was asked for |
 * | held | the upload was held, and its files were made before the live generation |
 */
export type PlacementReason = (typeof PLACEMENT_REASONS)[number];
export const PLACEMENT_REASONS = [
  'size-limit',
  'xml-version',
  'many-changes',
  'sparse',
  'limits',
  'overtaken',
  'unreadable',
  'forced',
  'held',
] as const;

/** A file that the thread has made. */
export interface PlacedFile {
  readonly entries: number;
  /** The length of the XML. */
  readonly bytes: number;
  readonly etag: string;
  /** The gzip bytes. */
  readonly content: Uint8Array<ArrayBuffer>;
  /** The object with the hashes of the entries, if the file gets such an object. */
  readonly hashes: Uint8Array<ArrayBuffer> | undefined;
}

/** The file at a position of the sitemap: file `former` of the live generation, or the file that was made as number `placed`. */
export type Position = { readonly former: number } | { readonly placed: number };

export type PlaceEnd =
  | { readonly kind: 'placed'; readonly positions: readonly Position[] }
  | { readonly kind: 'order'; readonly reason: PlacementReason };

export type PlaceAsk =
  /** Reads a file as it is stored. The answer is undefined if there is no such file. */
  | { readonly kind: 'read'; readonly side: Side; readonly n: number }
  /**
   * Reads the hashes of the file's entries (`features/sites/file-hashes.ts`) `into` shared memory. The answer is undefined if there are
   * none.
   */
  | {
      readonly kind: 'hashes';
      readonly side: Side;
      readonly n: number;
      readonly into: Uint8Array<SharedArrayBuffer>;
    }
  /** Stores a file. Files are numbered from 1, in the order of these requests. */
  | { readonly kind: 'file'; readonly file: PlacedFile };

export type AskMain = AnswerAsk<PlaceAsk>;
