/** Reads a body in memory into batches, by readDocument. */
import type { Figure } from '../figures.ts';
import { rates, stageSeconds } from './rates.ts';
import { readBatches, totalBytes, workloads } from './workloads.ts';

export async function* benchScan(scale: number): AsyncGenerator<Figure, void, undefined> {
  for (const workload of workloads(scale)) {
    const { name, urls, chunks } = workload;
    const seconds = await stageSeconds(() => readBatches(workload));
    yield* rates(`${name}: JSON to batches`, { urls, bytes: totalBytes(chunks) }, seconds);
  }
}
