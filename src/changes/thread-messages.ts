/** The messages between the main thread and the thread that compares. The thread asks, and the main thread answers. */
import type { ChangeCounts, ChangeKind } from './comparison.ts';

export type Side = 'former' | 'live';

/** One stored file that is to be read. */
export interface ComparedFile {
  readonly n: number;
  readonly entries: number;
  /** Length of the XML. */
  readonly bytes: number;
}

export interface CompareTask {
  /** The files that the other side has not. */
  readonly former: readonly ComparedFile[];
  readonly live: readonly ComparedFile[];
  /** Files of the live upload whose origins are not known, though nothing in them changed. */
  readonly counted: readonly ComparedFile[];
  /** How many URLs there is room for. */
  readonly room: number;
  readonly maxSlots: number;
}

/** By origin of the page, in its canonical form. */
export type Origins = Readonly<Record<string, number>>;

export interface Compared {
  readonly kind: 'compared';
  readonly counts: ChangeCounts;
  /** Objects of changes. */
  readonly parts: number;
  /** Of each list of files of the task. */
  readonly origins: Readonly<Record<'former' | 'live' | 'counted', Origins>>;
}

export type CompareEnd =
  | Compared
  /** More URLs than `room`. */
  | { readonly kind: 'full' }
  | { readonly kind: 'damaged'; readonly message: string };

/** What the thread asks for. Each gets an answer, in any order. */
export type Ask =
  /** The file as it is stored. The answer is its bytes; undefined if there is no such file. */
  | { readonly kind: 'read'; readonly side: Side; readonly n: number }
  /** Changed URLs, for whoever wants them. */
  | { readonly kind: 'changes'; readonly change: ChangeKind; readonly locs: readonly string[] }
  /** An object of changes, to be stored. */
  | { readonly kind: 'part'; readonly n: number; readonly bytes: Uint8Array<ArrayBuffer> };

export type AnswerAsk = (ask: Ask) => Promise<Uint8Array | undefined>;

export type FromThread =
  | { readonly kind: 'ask'; readonly id: number; readonly ask: Ask }
  | { readonly kind: 'end'; readonly end: CompareEnd };

export type ToThread =
  | { readonly kind: 'task'; readonly task: CompareTask }
  | { readonly kind: 'answer'; readonly id: number; readonly bytes: Uint8Array | undefined };
