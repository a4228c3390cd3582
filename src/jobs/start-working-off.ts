/**
 * Works off a queue that is a table of its own, because its order is not that of jobs: fair between accounts, one at a time
 * for each receiver, paced. `take` gives an item to one process by a lease. Whoever dies with it loses only time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { sayRarely } from '../platform/say-rarely.ts';
import type { ReportJob } from './job-tasks.ts';

export interface WorkQueue<Item> {
  /** For logs and metrics. */
  readonly name: string;
  /** Takes at most `limit` items that are due. Nobody else takes them before their leases end. */
  take(limit: number): Promise<readonly Item[]>;
  /** `signal`: the process ends, and waits for this. */
  work(item: Item, signal: AbortSignal): Promise<void>;
}

export interface WorkingOffOptions {
  readonly atOnce: number;
  readonly log: Log;
  readonly report?: ReportJob;
  /** How long nobody looks after an empty look. */
  readonly pollMs?: number;
}

export interface WorkingOff {
  /** Takes no more, and waits for the items under way, whose signal is aborted. */
  stop(): Promise<void>;
}

const POLL_MS = 500;
/** In 10 s. */
const LINES = 5;
/** Between two looks, however fast items end. */
const LEAST_PAUSE_MS = 20;

/** Looks at once. */
export function startWorkingOff<Item>(
  { name, take, work }: WorkQueue<Item>,
  { atOnce, log, report = () => {}, pollMs = POLL_MS }: WorkingOffOptions,
): WorkingOff {
  const stopping = new AbortController();
  const { signal } = stopping;
  const underWay = new Set<Promise<void>>();
  // One promise for all items: a race of hundreds that hang would add to each of them in every turn.
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
      // It is due again when its lease ends.
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
  /** Returns how many it took. */
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
      // An item that ends may make room, or let the next one for its receiver be due.
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
