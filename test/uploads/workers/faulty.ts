/** A thread that obeys its batch: the first entry's `loc` is the command. See render-pool.test.ts. */
import { BatchRenderer } from '../../../src/features/uploads/batch-renderer.ts';
import type { RenderResult, RenderTask } from '../../../src/features/uploads/fragment.ts';

const renderer = new BatchRenderer();

// biome-ignore lint/style/noDefaultExport: what a thread entry exports.
export default function render({ batch }: RenderTask): RenderResult {
  const [{ loc }] = JSON.parse(`[${Buffer.from(batch.bytes).toString()}]`);
  if (loc === 'die') process.exit(3);
  if (loc === 'loop') for (;;);
  if (loc === 'eat') for (const eaten: object[] = []; ; ) eaten.push(new Array(100_000).fill(0.5));
  return renderer.render(batch);
}
