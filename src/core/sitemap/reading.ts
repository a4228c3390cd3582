/**
 * How values of entries are read in forms whose producers know nothing of sitemaps (docs/decisions/0060). An upload without a reading may
 * have only the spellings of docs/FORMAT.md.
 */
import { ZONED, ZONELESS } from './kernel-layout.ts';

/** The spellings of dates among which the client chooses. `iso`: only dates that have one meaning without a choice. */
export const DATE_SPELLINGS = [
  'iso',
  'dmy',
  'mdy',
  'excel',
  'unix-seconds',
  'unix-millis',
  'unix-micros',
] as const;
export type DateSpelling = (typeof DATE_SPELLINGS)[number];

export interface Reading {
  /** `w3c`: only the spellings of docs/FORMAT.md. */
  readonly dates: DateSpelling | 'w3c';
  /** The zone of times that name none, as `findTimeZone` takes it. If it is absent, a time without a zone is a violation. */
  readonly timezone?: string;
  /** The base for URLs that lack one, as `parseBaseUrl` returns it. */
  readonly baseUrl?: string;
}

/** A reading that takes dates beyond W3C, and changes nothing else. */
export const WIDE_READING: Reading = { dates: 'iso' };

/** Notes on the values of accepted entries. */
export interface ReadingNotes {
  /** The number of times that got their zone from the reading. */
  readonly zoned: number;
  /** The bits of DATE_KINDS. */
  readonly dateKinds: number;
  /** The number of texts in which a backslash may stand for another character. */
  readonly escapes: number;
}

/** The kinds of spellings of dates, apart from days of W3C. More than one kind in an upload is worth a warning. */
export const DATE_KINDS = {
  zoned: ZONED,
  zoneless: ZONELESS,
  httpDate: 4,
  dayOrMonthFirst: 8,
  number: 16,
} as const;

export const NO_NOTES: ReadingNotes = { zoned: 0, dateKinds: 0, escapes: 0 };

export function sumOfNotes(a: ReadingNotes, b: ReadingNotes): ReadingNotes {
  return {
    zoned: a.zoned + b.zoned,
    dateKinds: a.dateKinds | b.dateKinds,
    escapes: a.escapes + b.escapes,
  };
}
