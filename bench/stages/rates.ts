/** Measures the speed of one stage alone, in this thread. */
import type { Figure } from '../figures.ts';
import { median } from '../statistics.ts';

const RUNS = 5;

/** The work of one run. */
export interface Amount {
  readonly urls: number;
  readonly bytes: number;
}

/** Seconds: the median of several runs after a warm-up. */
export async function stageSeconds(work: () => unknown): Promise<number> {
  await work();
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const startedAt = performance.now();
    await work();
    seconds.push((performance.now() - startedAt) / 1000);
  }
  return median(seconds);
}

export function* rates(name: string, { urls, bytes }: Amount, seconds: number): Generator<Figure> {
  yield { name, value: urls / seconds, unit: 'URLs/s' };
  yield { name: `  of ${Math.round(bytes / 1e6)} MB`, value: bytes / 1e6 / seconds, unit: 'MB/s' };
}
