/** Rate-limits log lines: in an outage or a flood, the same failure happens thousands of times a second. */
import { steadyNow } from './steady-clock.ts';

const PERIOD_MS = 10_000;

/** Facts that a line can report besides its subject. */
export interface Rarity {
  /** The number of lines that were suppressed in the last period. 0 except in the first line of a period. */
  readonly unsaid: number;
  readonly isFirst: boolean;
}

/**
 * Says at most `lines` lines in a period of 10 s. A period begins with its first line. That line is said at once, and
 * carries the number of lines that were suppressed before it.
 */
export function sayRarely<Subject>(
  say: (subject: Subject, rarity: Rarity) => void,
  { lines = 1, now = steadyNow }: { readonly lines?: number; readonly now?: () => number } = {},
): (subject: Subject) => void {
  let endsAt = Number.NEGATIVE_INFINITY;
  let said = 0;
  let unsaid = 0;
  return (subject) => {
    if (now() >= endsAt) {
      say(subject, { unsaid, isFirst: true });
      endsAt = now() + PERIOD_MS;
      said = 1;
      unsaid = 0;
    } else if (said < lines) {
      say(subject, { unsaid: 0, isFirst: false });
      said += 1;
    } else {
      unsaid += 1;
    }
  };
}
