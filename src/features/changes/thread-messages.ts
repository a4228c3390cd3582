/** The messages between the main thread and the thread that compares uploads. The main thread answers the questions of the thread. */
import type { AnswerAsk as Answer } from '../../platform/process/asking-thread.ts';
import type { ChangeKind, Side, StoredFile } from '../entries/entry-kernel.ts';
import type { ChangeCounts } from './comparison.ts';

export interface CompareTask {
  /** The files of the former upload that the live upload does not have. */
  readonly former: readonly StoredFile[];
  readonly live: readonly StoredFile[];
  /** Files of the live upload that are not compared, but whose URLs are counted by origin. */
  readonly counted: readonly StoredFile[];
  /** The number of different URLs for which the hash tables of all slices together have room. */
  readonly room: number;
  readonly maxSlots: number;
  /** The most URLs of each kind that come as `changes`. */
  readonly mostTold: number;
  /** The name of the sitemap, if the changed entries are to be packed (`features/entries/entry-pack.ts`). */
  readonly packFor?: string | undefined;
}

/** The numbers of URLs by origin. The keys are canonical origins. */
export type Origins = Readonly<Record<string, number>>;

export interface Compared {
  readonly kind: 'compared';
  readonly counts: ChangeCounts;
  /** The number of objects of the list of changes. */
  readonly parts: number;
  /** The origins of the URLs in each list of files of the task. */
  readonly origins: Readonly<Record<'former' | 'live' | 'counted', Origins>>;
}

/** The result for two uploads with the same files. */
export const UNCHANGED: Compared = {
  kind: 'compared',
  counts: { added: 0, changed: 0, removed: 0 },
  parts: 0,
  origins: { former: {}, live: {}, counted: {} },
};

export type CompareEnd =
  | Compared
  /** The files have more URLs than `room`. */
  | { readonly kind: 'full' }
  | { readonly kind: 'damaged'; readonly message: string };

/** A request of the thread. The answers may come in any order. */
export type Ask =
  /** The file as it is stored. The answer is its bytes; undefined if there is no such file. */
  | { readonly kind: 'read'; readonly side: Side; readonly n: number }
  /** The hashes of the entries of a file (`features/sites/file-hashes.ts`). The answer is undefined if the file has none. */
  | { readonly kind: 'hashes'; readonly side: Side; readonly n: number }
  /** Changed URLs, for samples and the change sink. */
  | { readonly kind: 'changes'; readonly change: ChangeKind; readonly locs: readonly string[] }
  /** A part of the list of changes, to be stored as an object. */
  | { readonly kind: 'part'; readonly n: number; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The pack of changed entries, after all changes. The thread sends no pack if there are too many changes. */
  | { readonly kind: 'pack'; readonly bytes: Uint8Array<ArrayBuffer> };

export type AnswerAsk = Answer<Ask>;
