/**
 * Loaded into the measured process by `node --import`: on the Unix socket EVENT_LOOP_SOCKET it answers with the
 * delays of that process's event loop since it was last asked (watch-event-loop.ts asks).
 */
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Milliseconds. */
export interface EventLoopDelays {
  readonly p99: number;
  readonly max: number;
}

/** The default of Node, and of what reports this figure in production. */
const RESOLUTION_MS = 10;

// Threads inherit the option, but it is the main thread that answers requests.
if (isMainThread) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  // What is recorded is the time between two ticks of a timer, and so the interval of the timer too.
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const server = createServer((_request, response) => {
    const delays: EventLoopDelays = { p99: delayMs(histogram.percentile(99)), max: delayMs(histogram.max) };
    histogram.reset();
    response.setHeader('Connection', 'close').end(JSON.stringify(delays));
  });
  server.listen(process.env.EVENT_LOOP_SOCKET).unref();
}
