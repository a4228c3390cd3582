/** The default of RENDER_THREADS. */
import { availableParallelism, totalmem } from 'node:os';

/** A thread takes 27 MB from the start of its process on. On 64 cores, all of them took 1.8 GB before the first upload. */
const THREAD_BYTES = 32 * 1024 * 1024;
/** The part of the memory that all threads may take. */
const SHARE = 1 / 4;

/** Returns a thread for each core, as long as all of them fit into the memory of the machine or of its container. */
export function defaultRenderThreads(cores = availableParallelism(), memoryBytes = ownMemory()): number {
  return Math.max(1, Math.min(cores, Math.floor((memoryBytes * SHARE) / THREAD_BYTES)));
}

/** Node returns 0, or more than the machine has, if nothing limits the process. */
function ownMemory(): number {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}
