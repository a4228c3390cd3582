/** A kind of entry that common producers write. Each is measured by bench/ordinary.ts, and known to be valid. */
export interface EntryKind {
  /** What sets it apart from plain entries. */
  readonly name: string;
  /** The producers that write so. */
  readonly writtenBy: string;
  /** How many an upload has at full scale. */
  readonly count: number;
  /** The goal: the time of an upload ÷ that of JSON.parse, at most. */
  readonly ratioGoal: number;
  /** The JSON of entry `i`. White space around it is the layout of the list. No two entries are equal. */
  textOf(i: number): string;
}

/** For every kind that is not the common case. */
export const RATIO_GOAL = 1;

/** Entries of four members, each varied in one way. */
export const CORE_COUNT = 500_000;
/** Entries with videos, news and the like, which are several times as large. */
export const LARGE_COUNT = 300_000;
