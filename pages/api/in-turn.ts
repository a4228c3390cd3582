/** Runs work one at a time. */

/**
 * Returns a function that runs `work`. Calls during a run share the next run. So each caller gets a run that begins after its call, and thus
 * sees every change made before it.
 */
export function inTurn<Subject>(work: (subject: Subject) => Promise<unknown>) {
  /** The last run in line. */
  let last: Promise<void> = Promise.resolve();
  let notBegun: Promise<void> | undefined;
  const run = async (subject: Subject) => {
    await last.catch(() => {});
    notBegun = undefined;
    await work(subject);
  };
  return (subject: Subject): Promise<void> => {
    if (notBegun === undefined) {
      notBegun = run(subject);
      last = notBegun;
    }
    return notBegun;
  };
}
