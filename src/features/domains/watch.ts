/**
 * Decides when a served domain is checked again, and when it fails. Its DNS records are checked again and again:
 *
 * ```
 *   steady   about once a day    ─wrong→  doubted
 *   doubted  every 15 minutes    ─3 wrong answers→  moved
 *   moved    every hour          ─7 days, 6 more wrong answers, and still wrong→  lost: the domain fails and is no longer served
 *   any      ─right→  steady
 * ```
 * Wrong answers count if they are at least 10 minutes apart, however late they come. So a queue that is an hour late delays a state by an
 * hour at most. A check without an answer (SERVFAIL, time-out) changes nothing, and is soon repeated. All times are differences on
 * the clock of the database, so the clock of a process does not matter.
 */
import type { Verdict } from './diagnosis.ts';

export interface Watch {
  /** The number of counted wrong answers since the last right one. */
  readonly wrongChecks: number;
  /** The time since the last counted wrong answer, in ms. Null: not known. */
  readonly countedForMs: number | null;
  /** The time for which the domain has counted as moved, in ms. Null: the domain does not count as moved. */
  readonly movedForMs: number | null;
}

export interface NextWatch extends Watch {
  readonly nextInMs: number;
  /** Whether the domain must fail now. */
  readonly isLost: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const WRONG_TO_MOVE = 3;
/**
 * The counted wrong answers that lose a domain. One wrong answer after a week without checks proves little. Even if each check is 18 hours
 * late, a week has nine checks.
 */
const WRONG_TO_LOSE = WRONG_TO_MOVE + 6;
const DOUBTED_EVERY_MS = 15 * MINUTE_MS;
/** Two checks of a domain may overlap. Two wrong answers that are less than 10 minutes apart count as one wrong answer. */
const APART_MS = 10 * MINUTE_MS;
export const MOVED_UNTIL_LOST_MS = 7 * DAY_MS;

export const STEADY: Watch = { wrongChecks: 0, countedForMs: null, movedForMs: null };

/** `random` is from 0 to 1. It spreads the checks of domains that were verified or became due together. */
export function afterCheck(watch: Watch, verdict: Verdict, random: number): NextWatch {
  if (verdict === 'right') return { ...STEADY, nextInMs: aboutADay(random), isLost: false };
  const next = verdict === 'wrong' ? afterWrong(watch) : watch;
  const isDoubted = next.wrongChecks > 0 && next.movedForMs === null;
  const nextInMs = isDoubted ? DOUBTED_EVERY_MS : HOUR_MS * (0.75 + random / 2);
  const isLost =
    verdict === 'wrong' &&
    next.wrongChecks >= WRONG_TO_LOSE &&
    (watch.movedForMs ?? 0) >= MOVED_UNTIL_LOST_MS;
  return { ...next, nextInMs, isLost };
}

/** Returns 18 to 30 hours. */
export function aboutADay(random: number): number {
  return DAY_MS * (0.75 + random / 2);
}

function afterWrong(watch: Watch): Watch {
  const { countedForMs } = watch;
  if (watch.wrongChecks > 0 && countedForMs !== null && countedForMs < APART_MS) return watch;
  const wrongChecks = watch.wrongChecks + 1;
  const movedForMs = watch.movedForMs ?? (wrongChecks < WRONG_TO_MOVE ? null : 0);
  return { wrongChecks, countedForMs: 0, movedForMs };
}
