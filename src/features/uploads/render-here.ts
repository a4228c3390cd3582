/**
 * Renders small uploads on the main thread, because the messages to and from a thread cost more than the rendering. If a batch has many
 * invalid entries, threads render it and the rest of the upload. So no body blocks the event loop for more than about 20 ms.
 */
import { BatchRenderer } from './batch-renderer.ts';
import type { Batch, RenderResult } from './fragment.ts';
import { judgeResult, REFUSE, type RenderLoad, type RenderPool, sumOf } from './render-pool.ts';

/**
 * The most entries of a batch on the normative path. Nearly all entries on this path are invalid. Each violation takes about 7 µs, many
 * times as much as an entry on the fast path.
 */
const MAX_NORMATIVE = 200;

interface RenderHereOptions {
  readonly threads: RenderPool;
  /** `transcodes` and `hashSeed` have the same values as in the threads. */
  readonly transcodes: boolean;
  readonly hashSeed: bigint;
}

/**
 * `load()` gives the load of the threads, with the entries of the main thread added. The caller disposes of
 * `threads`.
 */
export function createRenderHere({
  threads,
  transcodes,
  hashSeed,
}: RenderHereOptions): Omit<RenderPool, typeof Symbol.asyncDispose> {
  /** Undefined until the first small upload, because a new renderer compiles a kernel. */
  let renderer: BatchRenderer | undefined;
  let entriesByPath = { kernel: 0, normative: 0 };
  return {
    async *render(batches, accountId, judgement = REFUSE) {
      let isSlow = false;
      for await (const batch of batches) {
        renderer ??= new BatchRenderer(transcodes, hashSeed);
        const result: RenderResult | undefined = isSlow
          ? undefined
          : renderer.renderWithin(MAX_NORMATIVE, batch, judgement.onInvalid);
        isSlow ||= result === undefined;
        if (result === undefined) yield* threads.render(only(batch), accountId, judgement);
        else {
          entriesByPath = sumOf(entriesByPath, result.entriesByPath);
          yield* await judgeResult(result, judgement);
        }
      }
    },
    load(): RenderLoad {
      const load = threads.load();
      return { ...load, entriesByPath: sumOf(load.entriesByPath, entriesByPath) };
    },
  };
}

async function* only(batch: Batch): AsyncGenerator<Batch, void, undefined> {
  yield batch;
}
