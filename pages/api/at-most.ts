import { pause } from './pause.ts';

/** Waits for work, but not longer than this. The work goes on. */
export function atMost(work: Promise<unknown>, ms: number): Promise<unknown> {
  return Promise.race([work, pause(ms)]);
}
