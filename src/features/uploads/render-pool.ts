/**
 * The worker threads that turn batches into fragments, shared by all uploads of a process. Accounts take turns, so an
 * account with many uploads does not hold up the others.
 */
import { pMapIterable } from 'p-map';
import { Piscina } from 'piscina';
import type { ReadingNotes } from '../../core/sitemap/reading.ts';
import { sentenceOf } from '../../core/sitemap/violation.ts';
import { Turns } from '../../platform/concurrency/turns.ts';
import type { Log } from '../../platform/log.ts';
import { threadEnvironment } from '../../platform/process/environment.ts';
import { Refusal } from '../../platform/refusal.ts';
import { BatchWindow } from './batch-window.ts';
import { malformedElement } from './forms/parse-record.ts';
import type {
  Batch,
  EntriesByPath,
  OnInvalid,
  Rejected,
  RenderedFragment,
  RenderResult,
  RenderTask,
} from './fragment.ts';
import { toldKinds, type ViolationKind } from './violation-kinds.ts';

const WORKER = new URL('../../../workers/render-batch.ts', import.meta.url);

/** A batch takes a few milliseconds. A batch that takes this long will never end. */
const BATCH_TIMEOUT_MS = 60_000;

/**
 * The limit of the old generation of a thread's heap. The most expensive batches need less than 128 MB. A thread that exceeds the limit
 * ends, but the process goes on.
 */
const OLD_GENERATION_MB = 512;

export interface RenderPoolOptions {
  readonly threads: number;
  /** Whether entries are transcoded from JSON to XML without parsing (core/sitemap/entry-transcoder.ts). */
  readonly transcodes: boolean;
  /** The seed of the hashes of entries, 64 bits. All processes use the same seed. */
  readonly hashSeed: bigint;
  readonly log: Log;
  readonly batchTimeoutMs?: number;
  /** The module that the threads run. Tests set it. */
  readonly worker?: URL;
}

export interface RenderLoad {
  readonly threads: number;
  /** Batches that wait for a thread. */
  readonly waiting: number;
  /** Total time that batches have spent in threads. */
  readonly busyMs: number;
  /** The entries of all finished batches, including those of refused uploads. */
  readonly entriesByPath: EntriesByPath;
}

/** Decides about invalid entries. `onInvalid` is read when the rendering of a batch begins. */
export interface Judgement {
  readonly onInvalid: OnInvalid;
  /** Called for each batch with invalid entries, in document order, before its fragments. May throw Refusal. */
  reject(rejected: Rejected): Promise<void>;
  /** Called for each batch whose result is of the kind `fragments`. */
  note?(notes: ReadingNotes, filtered: number): void;
}

export interface RenderPool extends AsyncDisposable {
  /**
   * Yields fragments in the order of their batches. Reads only as many batches as keep the threads busy, so a slow reader puts backpressure
   * on the source. If `judgement.onInvalid` is `fail`, throws Refusal for the first violation in document order. Also throws Refusal for
   * malformed JSON.
   */
  render(
    batches: AsyncIterable<Batch>,
    accountId: string,
    judgement?: Judgement,
  ): AsyncIterable<RenderedFragment>;
  load(): RenderLoad;
}

/** The caller disposes of the pool, which ends the threads. */
export function createRenderPool({
  threads,
  transcodes,
  hashSeed,
  log,
  batchTimeoutMs = BATCH_TIMEOUT_MS,
  worker = WORKER,
}: RenderPoolOptions): RenderPool {
  const pool = new Piscina<RenderTask, RenderResult>({
    filename: worker.href,
    minThreads: threads,
    maxThreads: threads,
    workerData: { transcodes, hashSeed },
    env: threadEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: OLD_GENERATION_MB },
  });
  // A thread may run out of memory after its batch was abandoned. Without a listener, this error ends the process.
  pool.on('error', (err) => log.warn({ err }, 'a rendering thread without a batch failed, and is replaced'));
  // Batches wait here and not in the pool, because the queue of the pool has no turns, and the time-out of a batch
  // must not run while it waits.
  const turns = new Turns(threads);
  // One batch more than threads keeps all threads busy.
  const window = new BatchWindow(threads + 1);
  let busyMs = 0;
  let entriesByPath: EntriesByPath = { kernel: 0, normative: 0 };
  const running = new Set<Promise<unknown>>();
  const runHere = (task: RenderTask) => {
    const result = runBatch(pool, task, batchTimeoutMs).finally(() => running.delete(result));
    running.add(result);
    return result;
  };
  return {
    async *render(batches, accountId, judgement = REFUSE) {
      const share = window.open(accountId);
      async function* read() {
        for await (const batch of batches) {
          share.begin();
          yield batch;
          await share.mayRead();
        }
      }
      const renderBatch = (batch: Batch) =>
        turns
          .run(accountId, async () => {
            const startedAt = performance.now();
            const task = { batch, onInvalid: judgement.onInvalid };
            const result = await runHere(task).finally(() => {
              busyMs += performance.now() - startedAt;
            });
            entriesByPath = sumOf(entriesByPath, result.entriesByPath);
            return result;
          })
          .finally(share.end);
      // Results keep the order of their batches, so finished batches may wait for an earlier one. The backpressure leaves room for them.
      const limits = { concurrency: threads + 1, backpressure: 2 * threads + 2 };
      const results = pMapIterable(read(), renderBatch, limits);
      try {
        for await (const result of results) yield* await judgeResult(result, judgement);
      } finally {
        share.close();
      }
    },
    load: () => ({ threads, waiting: turns.waiting, busyMs, entriesByPath }),
    // Wait for the running batches: a thread that is stopped just when it makes a stream of zlib aborts the whole process.
    async [Symbol.asyncDispose]() {
      while (running.size > 0) await Promise.allSettled(running);
      await pool.destroy();
    },
  };
}

/** With this judgement the first violation refuses the upload, so `reject` is never called. */
export const REFUSE: Judgement = { onInvalid: 'fail', reject: async () => {} };

async function runBatch(
  pool: Piscina<RenderTask, RenderResult>,
  task: RenderTask,
  timeoutMs: number,
): Promise<RenderResult> {
  // AbortSignal.timeout is no choice here: its timers outlive their batches, and a large upload has thousands of
  // batches.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const transferList = [task.batch.bytes.buffer, task.batch.ends.buffer];
  try {
    return await pool.run(task, { transferList, signal: deadline.signal });
  } finally {
    clearTimeout(timer);
  }
}

export function sumOf(a: EntriesByPath, b: EntriesByPath): EntriesByPath {
  return { kernel: a.kernel + b.kernel, normative: a.normative + b.normative };
}

/** Returns the fragments of a batch, once its invalid entries are judged. Throws Refusal. */
export async function judgeResult(
  result: RenderResult,
  judgement: Judgement,
): Promise<readonly RenderedFragment[]> {
  if (result.kind === 'fragments') {
    judgement.note?.(result.notes, result.filtered);
    if (result.rejected !== undefined) await judgement.reject(result.rejected);
    return result.fragments;
  }
  if (result.kind === 'malformed') throw malformedElement(result.index, result.fault);
  const { violations, count } = result;
  const kinds = toldKinds(result.kinds);
  const { message: _, ...first } = violations[0]!;
  throw new Refusal('VALIDATION_ERROR', sentenceOf(violations[0]!), {
    details: { ...first, errors: violations, errorCount: count, ...(tellsMore(kinds) && { kinds }) },
  });
}

/**
 * Whether `kinds` tells more than the members that the specification names. For a single violation without a line and without a cure,
 * `kinds` tells nothing more.
 */
function tellsMore(kinds: readonly ViolationKind[]): boolean {
  const [first, second] = kinds;
  return (
    first !== undefined &&
    (second !== undefined || first.count > 1 || first.line !== undefined || first.cures.length > 0)
  );
}
