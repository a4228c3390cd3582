/** Runs work as often as a pace allows, however often it is asked for. */

export interface Pace {
  /** The number of calls that run at once, after a long enough rest. */
  readonly atOnce: number;
  /** The time after which one more call may run. */
  readonly everyMs: number;
}

/** Returns a function that runs `act`. A call that is too early waits. Calls that wait share one run, which sees all that came before it. */
export function inPace<Subject>(act: (subject: Subject) => unknown, { atOnce, everyMs }: Pace) {
  /** The time until which the runs so far have used up the pace. */
  let usedUntil = 0;
  let isWaiting = false;
  const run = (subject: Subject) => {
    isWaiting = false;
    usedUntil = Math.max(usedUntil, performance.now()) + everyMs;
    act(subject);
  };
  return (subject: Subject): void => {
    if (isWaiting) return;
    const waitMs = usedUntil - performance.now() - (atOnce - 1) * everyMs;
    if (waitMs <= 0) run(subject);
    else {
      isWaiting = true;
      setTimeout(run, waitMs, subject);
    }
  };
}
