/** Renders batches to fragments, as a thread does: both ways to render an entry, and the compression. */
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import type { Figure } from '../figures.ts';
import { rates, stageSeconds } from './rates.ts';
import { compression, readBatches, renderFragments, totalBytes, workloads, xmlOf } from './workloads.ts';

export async function* benchRender(scale: number): AsyncGenerator<Figure, void, undefined> {
  for (const workload of workloads(scale)) {
    const { name, urls, chunks } = workload;
    const amount = { urls, bytes: totalBytes(chunks) };
    const batches = await readBatches(workload);
    const secondsWith = (renderer: BatchRenderer) => {
      return stageSeconds(() => {
        for (const batch of batches) renderFragments(renderer, batch);
      });
    };
    const renderer = new BatchRenderer();
    const pieces = batches.flatMap((batch) => renderFragments(renderer, batch)).map(xmlOf);
    const deflate = await compression(pieces);
    const whole = await secondsWith(renderer);
    const normative = await secondsWith(new BatchRenderer(false));

    yield* rates(`${name}: batches to fragments`, amount, whole);
    yield* rates(`${name}: JSON to XML of it (the rest is compression)`, amount, whole - deflate);
    yield* rates(`${name}: JSON to XML, all entries the normative way`, amount, normative - deflate);
  }
}
