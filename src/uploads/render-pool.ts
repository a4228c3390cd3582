/**
 * The worker threads that turn batches into fragments, shared by all uploads of a process. A thread that is free
 * works for the accounts in turn, so that one with many uploads does not keep the others waiting.
 */
import { pMapIterable } from 'p-map';
import { Piscina } from 'piscina';
import { Turns } from '../platform/concurrency/turns.ts';
import { malformed } from '../platform/json/json-syntax.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Batch, Fragment, RenderResult } from './fragment.ts';

const WORKER = new URL('../../workers/render-batch.ts', import.meta.url);

/** A batch takes some milliseconds; what takes this long will never end. */
const BATCH_TIMEOUT_MS = 60_000;

/** The batches that cost most need less than 128. A thread that passes this ends alone, and not the process with it. */
const OLD_GENERATION_MB = 512;

export interface RenderPoolOptions {
  readonly threads: number;
  /** Whether plain entries go from JSON to XML without being parsed (sitemap/entry-transcoder.ts). */
  readonly transcodes: boolean;
  readonly batchTimeoutMs?: number;
  /** The thread entry, for tests. */
  readonly worker?: URL;
}

/** How busy the threads are. */
export interface RenderLoad {
  readonly threads: number;
  /** Batches that wait for a thread. */
  readonly waiting: number;
  /** The time that all batches so far took in threads. */
  readonly busyMs: number;
}

export interface RenderPool extends AsyncDisposable {
  /**
   * Fragments in the order of their batches. Takes in only as many batches as keep the threads busy, so a slow
   * reader of the fragments slows the source of the batches. Throws Refusal for the first violation in the
   * order of the document.
   */
  render(batches: AsyncIterable<Batch>, accountId: string): AsyncIterable<Fragment>;
  load(): RenderLoad;
}

/** Its caller disposes of it, which ends the threads. */
export function createRenderPool({
  threads,
  transcodes,
  batchTimeoutMs = BATCH_TIMEOUT_MS,
  worker = WORKER,
}: RenderPoolOptions): RenderPool {
  const pool = new Piscina<Batch, RenderResult>({
    filename: worker.href,
    minThreads: threads,
    maxThreads: threads,
    workerData: { transcodes },
    resourceLimits: { maxOldGenerationSizeMb: OLD_GENERATION_MB },
  });
  // A batch goes to the pool when a thread is free for it: the queue of the pool knows no turns, and the time that
  // a batch may take must not run while it waits for others.
  const turns = new Turns(threads);
  let busyMs = 0;
  return {
    async *render(batches, accountId) {
      const renderBatch = (batch: Batch) =>
        turns.run(accountId, async () => {
          const startedAt = performance.now();
          return runBatch(pool, batch, batchTimeoutMs).finally(() => {
            busyMs += performance.now() - startedAt;
          });
        });
      // One batch more than threads waits, so that no thread does; finished ones may wait for an earlier one.
      const limits = { concurrency: threads + 1, backpressure: 2 * threads + 2 };
      const results = pMapIterable(batches, renderBatch, limits);
      for await (const result of results) yield* fragmentsOf(result);
    },
    load: () => ({ threads, waiting: turns.waiting, busyMs }),
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

async function runBatch(
  pool: Piscina<Batch, RenderResult>,
  batch: Batch,
  timeoutMs: number,
): Promise<RenderResult> {
  // Not AbortSignal.timeout: its timers go on after the batch is done, thousands of them in a large upload.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const transferList = [batch.bytes.buffer, batch.ends.buffer];
  try {
    return await pool.run(batch, { transferList, signal: deadline.signal });
  } finally {
    clearTimeout(timer);
  }
}

function fragmentsOf(result: RenderResult): readonly Fragment[] {
  if (result.kind === 'fragments') return result.fragments;
  if (result.kind === 'malformed') throw malformed(`urls[${result.index}] is not valid JSON`);
  const { violations, count } = result;
  const { field, value, message } = violations[0]!;
  throw new Refusal('VALIDATION_ERROR', `${field}: ${message}`, {
    details: { field, value, errors: violations, errorCount: count },
  });
}
