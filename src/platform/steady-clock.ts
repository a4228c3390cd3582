/**
 * Milliseconds since the process began, on a clock that never steps. Ages, waits, paces and deadlines use it, because people
 * and NTP set the wall clock back and forth. `test/architecture/clocks.test.ts` lists the files that may read the wall clock.
 */
export const steadyNow = (): number => performance.now();
