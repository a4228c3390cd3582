/** Thread entry: renders one batch per call and gives the compressed bytes back. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import type { Batch, RenderResult } from '../src/uploads/fragment.ts';
import { BatchRenderer } from '../src/uploads/render-batch.ts';

const renderer = new BatchRenderer(workerData.transcodes);

export default function renderInThread(batch: Batch): RenderResult {
  const result = renderer.render(batch);
  if (result.kind !== 'fragment') return result;
  // A buffer of its own: what zlib returns may lie in a pool, which cannot be given away.
  const deflated = new Uint8Array(result.fragment.deflated);
  return move({
    [transferableSymbol]: [deflated.buffer],
    [valueSymbol]: { kind: 'fragment', fragment: { ...result.fragment, deflated } },
  } as never) as unknown as RenderResult;
}
