/**
 * `node --import` loads this into the measured process. On the Unix socket EVENT_LOOP_SOCKET it answers
 * watch-event-loop.ts with the delays of the event loop since the last question.
 */
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Delays in milliseconds. */
export interface EventLoopDelays {
  readonly p99: number;
  readonly max: number;
}

/** The default of Node and of production monitoring. */
const RESOLUTION_MS = 10;

// Threads inherit `--import`, but only the main thread answers requests.
if (isMainThread) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  // The histogram records the time between two ticks of a timer. This time includes the timer's interval.
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const server = createServer((_request, response) => {
    const delays: EventLoopDelays = { p99: delayMs(histogram.percentile(99)), max: delayMs(histogram.max) };
    histogram.reset();
    response.setHeader('Connection', 'close').end(JSON.stringify(delays));
  });
  server.listen(process.env.EVENT_LOOP_SOCKET).unref();
}
