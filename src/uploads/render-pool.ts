/** The worker threads that turn batches into fragments, shared by all uploads of a process. */
import { pMapIterable } from 'p-map';
import { Piscina } from 'piscina';
import { malformed } from '../platform/json-syntax.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Batch, Fragment, RenderResult } from './fragment.ts';

/** A batch takes some milliseconds; what takes this long will never end. */
const BATCH_TIMEOUT_MS = 60_000;

/**
 * A batch's strings and objects die with it, and a larger nursery only keeps them longer: with the default a
 * process of two threads peaks at 510 MB, with this at 320 MB, at the same speed.
 */
const YOUNG_GENERATION_MB = 16;

export interface RenderPoolOptions {
  readonly threads: number;
  /** Whether plain entries go from JSON to XML without being parsed (sitemap/entry-transcoder.ts). */
  readonly transcodes: boolean;
}

export interface RenderPool extends AsyncDisposable {
  /**
   * Fragments in the order of their batches. Takes in only as many batches as keep the threads busy, so a slow
   * reader of the fragments slows the source of the batches. Throws Refusal for the first violation in the
   * order of the document.
   */
  render(batches: AsyncIterable<Batch>): AsyncIterable<Fragment>;
}

export function createRenderPool({ threads, transcodes }: RenderPoolOptions): RenderPool {
  const pool = new Piscina<Batch, RenderResult>({
    filename: new URL('../../workers/render-batch.ts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    workerData: { transcodes },
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  return {
    async *render(batches) {
      // One batch more than threads waits, so that no thread does; finished ones may wait for an earlier one.
      const limits = { concurrency: threads + 1, backpressure: 2 * threads + 2 };
      const results = pMapIterable(batches, (batch: Batch) => runBatch(pool, batch), limits);
      for await (const result of results) yield* fragmentsOf(result);
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

async function runBatch(pool: Piscina<Batch, RenderResult>, batch: Batch): Promise<RenderResult> {
  // Not AbortSignal.timeout: its timers go on after the batch is done, thousands of them in a large upload.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), BATCH_TIMEOUT_MS);
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
