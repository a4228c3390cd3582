/** Keeps an outage or a flood from flooding the log: what fails then fails thousands of times a second. */

const SILENCE_MS = 10_000;

/** Says the first thing at once, then at most one every 10 s, with the number of those left unsaid before it. */
export function sayRarely<Subject>(
  now: () => number,
  say: (subject: Subject, unsaid: number) => void,
): (subject: Subject) => void {
  let silentUntil = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  return (subject) => {
    if (now() < silentUntil) {
      unsaid += 1;
      return;
    }
    say(subject, unsaid);
    silentUntil = now() + SILENCE_MS;
    unsaid = 0;
  };
}
