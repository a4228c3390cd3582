/** The messages between the main thread and the thread that applies deltas. The thread asks, and the main thread answers. */
import type { AnswerAsk } from '../../../platform/process/asking-thread.ts';
import type { FormerFile, PlaceAsk, Position } from '../placement/messages.ts';
import type { Operations } from './operations.ts';

/** A file of the generation that the operations change. It is file `uploadN` of the upload `uploadId`. */
export interface BaseFile extends FormerFile {
  readonly uploadId: string;
  readonly uploadN: number;
}

export interface DeltaTask {
  /** The seed of the hashes of entries. */
  readonly seed: bigint;
  readonly entriesPerFile: number;
  readonly former: readonly BaseFile[];
  /** The upload of the files that the thread makes. It has `filesBefore` files already. */
  readonly uploadId: string;
  readonly filesBefore: number;
  readonly operations: Operations;
  /** For each request of the group, the index after its last operation. */
  readonly requestEnds: Uint32Array;
}

/** The outcome of the operations of a request. */
export interface OperationCounts {
  readonly added: number;
  readonly changed: number;
  /** Entries that the sitemap had already. */
  readonly unchanged: number;
  readonly removed: number;
  /** Removals of URLs that the sitemap did not have. */
  readonly missing: number;
}

/** The values of `changes`. The last operation on a URL has the change by all operations on this URL. The earlier ones have 0. */
export const ADDED = 1;
export const CHANGED = 2;
export const REMOVED = 3;

export interface Found {
  /** The counts of each request. */
  readonly counts: readonly OperationCounts[];
  /** The outcome of each operation: 0, ADDED, CHANGED or REMOVED. */
  readonly changes: Uint8Array;
  /** The indexes of the first removals of URLs that the sitemap did not have. */
  readonly missing: readonly number[];
  /** The number of entries of the sitemap after all operations. */
  readonly urlCount: number;
}

export type DeltaAsk =
  | PlaceAsk
  /** The changes that the operations will make. If the answer is undefined, the thread ends its task. */
  | { readonly kind: 'found'; readonly found: Found };

export type AskMain = AnswerAsk<DeltaAsk>;

export type DeltaEnd =
  | {
      readonly kind: 'written';
      readonly positions: readonly Position[];
      /** The difference that the operations make to the sum of the hashes of all entries, modulo 2^64 (docs/decisions/0053). */
      readonly digest: bigint;
    }
  /** The operations change nothing, or the main thread did not want to go on. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'damaged'; readonly message: string };
