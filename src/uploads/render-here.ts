/**
 * Renders small uploads on the main thread: the way to a thread and back would cost more than their entries. From a
 * batch with many invalid entries on, threads take over, so the event loop is free again within some 20 ms, whatever the body.
 */
import { BatchRenderer } from './batch-renderer.ts';
import type { Batch, RenderResult } from './fragment.ts';
import { judgeResult, REFUSE, type RenderLoad, type RenderPool, sumOf } from './render-pool.ts';

/** Nearly all of them are invalid. Each fault takes some 7 µs, many times as much as an entry in the kernel. */
const MAX_NORMATIVE = 200;

interface RenderHereOptions {
  readonly threads: RenderPool;
  /** As those of the threads. */
  readonly transcodes: boolean;
}

/** `load()` is that of the threads, with the entries of both. It ends when its threads do. */
export function createRenderHere({
  threads,
  transcodes,
}: RenderHereOptions): Omit<RenderPool, typeof Symbol.asyncDispose> {
  /** Compiled with the first small upload. */
  let renderer: BatchRenderer | undefined;
  let entriesByPath = { kernel: 0, normative: 0 };
  return {
    async *render(batches, accountId, judgement = REFUSE) {
      let isSlow = false;
      for await (const batch of batches) {
        renderer ??= new BatchRenderer(transcodes);
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
