/** Keeps an outage or a flood from flooding the log: what fails then fails thousands of times a second. */

const PERIOD_MS = 10_000;

/** What a line may tell beside its subject. */
export interface Rarity {
  /** How many were left unsaid in the period before; 0 but for the first of a period. */
  readonly unsaid: number;
  readonly isFirst: boolean;
}

/**
 * Says at most so many `lines` in 10 s. These begin with the first, which is said at once and, where some were left
 * unsaid before it, with their number.
 */
export function sayRarely<Subject>(
  now: () => number,
  say: (subject: Subject, rarity: Rarity) => void,
  lines = 1,
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
