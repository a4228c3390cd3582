/** The queue of loads: those that have waited longest first, a few at a time in each process. */
import type { WorkQueue } from '../../../core/jobs/start-working-off.ts';
import { type TakenLoad, takeLoads } from './load-store.ts';
import { type RunLoadOptions, runLoad } from './run-load.ts';

const AT_ONCE = 4;
/** With the lease, a load goes on some 11 s after its process was killed. */
const POLL_MS = 1000;

export function createLoadQueue(options: RunLoadOptions): WorkQueue<TakenLoad> {
  return {
    name: 'loads',
    atOnce: AT_ONCE,
    pollMs: POLL_MS,
    take: (limit) => takeLoads(options.database, limit),
    work: (load, signal) => runLoad(options, load, signal),
  };
}
