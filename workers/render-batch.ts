/** Thread entry: renders one batch per call and gives the compressed bytes back. */
import { constants, platform, setPriority } from 'node:os';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { BatchRenderer } from '../src/uploads/batch-renderer.ts';
import type { Batch, RenderResult } from '../src/uploads/fragment.ts';

// On Linux this is the thread's priority alone: rendering takes what the machine has left, so that a large upload
// does not keep the main thread, Postgres and small uploads waiting.
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const renderer = new BatchRenderer(workerData.transcodes);

export default function renderInThread(batch: Batch): RenderResult {
  const result = renderer.render(batch);
  // Freed now and not by the collector, which sees little reason to run in a thread that makes few objects.
  batch.bytes.buffer.transfer(0);
  if (result.kind !== 'fragments') return result;
  // Buffers of their own: what zlib returns may lie in a pool, which cannot be given away.
  const fragments = result.fragments.map((fragment) => ({
    ...fragment,
    deflated: new Uint8Array(fragment.deflated),
  }));
  return move({
    [transferableSymbol]: fragments.map(({ deflated }) => deflated.buffer),
    [valueSymbol]: { kind: 'fragments', fragments },
  } as never) as unknown as RenderResult;
}
