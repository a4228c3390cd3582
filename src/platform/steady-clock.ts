/**
 * Milliseconds since the process began, on a clock that never steps. Ages, waits, paces and deadlines go by it: the clock of
 * the day is set back and forth by people and by NTP. `test/architecture/clocks.test.ts` lists who may read that one.
 */
export const steadyNow = (): number => performance.now();
