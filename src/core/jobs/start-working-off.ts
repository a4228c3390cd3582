/**
 * Works off a queue that has a table of its own, because its order is not that of jobs: it is fair between accounts, paced, or one at a
 * time for each receiver. `take` gives an item to one process by a lease. If that process dies, the item is due again after the lease.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { sayRarely } from '../../platform/say-rarely.ts';
import type { ReportJob } from './job-tasks.ts';

export interface WorkQueue<Item> {
  /** The name of the queue in logs and metrics. */
  readonly name: string;
  /** The most items under way in this process. */
  readonly atOnce: number;
  /** The pause after a look that found no due item. */
  readonly pollMs?: number;
  /** Takes at most `limit` items that are due. No other process takes them before their leases end. */
  take(limit: number): Promise<readonly Item[]>;
  /** Works on an item. `signal`: aborts when the process ends. The process then waits for the work. */
  work(item: Item, signal: AbortSignal): Promise<void>;
}

export interface WorkingOff {
  /** Takes no more items, aborts the signal of the items under way, and waits for them. */
  stop(): Promise<void>;
}

const POLL_MS = 500;
/** The most log lines in 10 s. */
const LINES = 5;
/** The least pause between two looks, however fast items end. */
const LEAST_PAUSE_MS = 20;

/** Starts to work off a queue. The first look follows at once. */
export function startWorkingOff<Item>(
  { name, atOnce, pollMs = POLL_MS, take, work }: WorkQueue<Item>,
  { log, report = () => {} }: { readonly log: Log; readonly report?: ReportJob },
): WorkingOff {
  const stopping = new AbortController();
  const { signal } = stopping;
  const underWay = new Set<Promise<void>>();
  // All items share one promise. A race against the promise of each item would add listeners to hundreds of hanging items at each look.
  let itemEnds = Promise.withResolvers<void>();

  // In an outage, hundreds of items fail at once.
  const complain = sayRarely<unknown>(
    (err, { unsaid }) => log.error({ err, queue: name, unsaid }, 'an item of a queue failed'),
    { lines: LINES },
  );
  const workOn = async (item: Item) => {
    const startedAt = performance.now();
    let outcome: 'done' | 'failed' = 'failed';
    try {
      await work(item, signal);
      outcome = 'done';
    } catch (err) {
      // The item is due again when its lease ends.
      if (!signal.aborted) complain(err);
    } finally {
      report(name, outcome, (performance.now() - startedAt) / 1000);
    }
  };
  const begin = (item: Item) => {
    const working = workOn(item).finally(() => {
      underWay.delete(working);
      itemEnds.resolve();
    });
    underWay.add(working);
  };
  /** Takes items, and returns their number. */
  const look = async () => {
    if (underWay.size >= atOnce) return 0;
    try {
      const items = await take(atOnce - underWay.size);
      for (const item of items) begin(item);
      return items.length;
    } catch (err) {
      log.warn({ err, queue: name }, 'a queue cannot be read');
      await pause(pollMs);
      return 0;
    }
  };
  const pause = async (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  const run = async () => {
    while (!signal.aborted) {
      itemEnds = Promise.withResolvers();
      const taken = await look();
      await pause(LEAST_PAUSE_MS);
      // The end of an item may make room, or make the next item for the same receiver due.
      if (taken === 0) await Promise.race([itemEnds.promise, pause(pollMs)]);
    }
    await Promise.all(underWay);
  };
  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
