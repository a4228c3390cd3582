/** A kind of entry that common producers write. bench/ordinary.ts measures each kind. All of its entries are valid. */
export interface EntryKind {
  /** The difference from plain entries. */
  readonly name: string;
  /** The producers that write this kind. */
  readonly writtenBy: string;
  /** The number of entries of an upload at full scale. */
  readonly count: number;
  /** The goal: the time of an upload ÷ that of JSON.parse, at most. */
  readonly ratioGoal: number;
  /** The JSON of entry `i`. White space around it is the layout of the list. No two entries are equal. */
  textOf(i: number): string;
}

/** The goal of every kind except plain and rich entries. */
export const RATIO_GOAL = 1;

/** The count for entries that differ from plain entries in one way. */
export const CORE_COUNT = 500_000;
/** The count for entries with videos, news and the like, which are several times as large. */
export const LARGE_COUNT = 300_000;
