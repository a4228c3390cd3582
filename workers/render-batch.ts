/** Thread entry: renders one batch per call and transfers the compressed bytes back. */
import { constants } from 'node:os';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { BatchRenderer } from '../src/features/uploads/batch-renderer.ts';
import type { RenderResult, RenderTask } from '../src/features/uploads/fragment.ts';
import { setThreadPriority } from '../src/platform/process/thread-priority.ts';

// Rendering takes spare CPU time, so a large upload does not hold up the main thread, Postgres or small uploads.
setThreadPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const renderer = new BatchRenderer(workerData.transcodes, workerData.hashSeed);

export default function renderInThread({ batch, onInvalid }: RenderTask): RenderResult {
  const result = renderer.render(batch, onInvalid);
  // Free the bytes now. This thread makes few objects, so the garbage collector rarely runs.
  batch.bytes.buffer.transfer(0);
  batch.ends.buffer.transfer(0);
  if (result.kind !== 'fragments') return result;
  return move({
    [transferableSymbol]: result.fragments.flatMap(({ deflated, hashes }) => [
      deflated.buffer,
      hashes.buffer,
    ]),
    [valueSymbol]: result,
  } as never) as unknown as RenderResult;
}
