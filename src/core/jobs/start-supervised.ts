/**
 * Keeps a graphile-worker runner at work. A runner ends by itself when it cannot record the result of a job, for
 * example because it loses its connection at that moment. Then its successor starts at once:
 *
 *   running  --begins to end-->  starting  (tries again until it succeeds)  -->  running
 *   any      --stop-->           stopped
 */
import type { Runner } from 'graphile-worker';
import pRetry from 'p-retry';
import type { Log } from '../../platform/log.ts';

/** The restarts never give up: no other part of the process works on the jobs, and operators do not see that the jobs stand still. */
const RESTARTS = { retries: Number.POSITIVE_INFINITY, minTimeout: 500, maxTimeout: 10_000, factor: 2 };

/** Starts a runner and its supervision. Rejects when the first runner does not start. */
export async function startSupervised(start: () => Promise<Runner>, log: Log) {
  const stopped = new AbortController();
  let runner = await start();
  const restart = async () => {
    const successor = await start().catch((err) => {
      log.warn({ err }, 'the job runner could not be restarted');
      // p-retry gives up at a TypeError.
      throw new Error('the job runner could not be restarted', { cause: err });
    });
    // `stop` was called during the start, and stopped only the former runner.
    if (stopped.signal.aborted) await successor.stop();
    return successor;
  };
  const supervise = async () => {
    for (;;) {
      await beginsToEnd(runner);
      if (stopped.signal.aborted) return;
      log.warn({}, 'the job runner ended by itself and is restarted');
      runner = await pRetry(restart, { ...RESTARTS, signal: stopped.signal });
    }
  };
  const ended = supervise().catch((error) => {
    if (!stopped.signal.aborted) log.error({ err: error }, 'the job runner ended and cannot be restarted');
  });
  return {
    /** Settles when no more successors can start. */
    ended,
    /** Starts no more successors. Settles when the current runner has stopped. */
    async stop() {
      stopped.abort();
      await runner.stop().catch(() => {}); // The runner may have ended by itself.
    },
  };
}

/**
 * Resolves when the shutdown of a runner *starts*. graphile-worker 0.18 may never finish a shutdown, because it counts a failed result
 * twice. So the runner ends its last jobs while its successor works.
 */
function beginsToEnd({ events, promise }: Runner): Promise<void> {
  const { promise: begins, resolve } = Promise.withResolvers<void>();
  events.once('pool:gracefulShutdown', () => resolve());
  promise.then(resolve, () => resolve());
  return begins;
}
