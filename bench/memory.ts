/** Measures the peak memory of one upload in a fresh process, without Postgres. The peak must not depend on the upload's size. */
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const MAX_MEGABYTES = 350;
const MILLIONS = [1, 10, 30];

export async function* benchMemory(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(1_000_000, scale);
  const entries = plainEntries(urls);
  const peaks: number[] = [];
  for (const millions of MILLIONS) {
    await using waypost = await startBenchWaypost();
    await uploadSeconds(waypost, uploadBody(entries, { repeat: millions }), urls * millions);
    const peak = await waypost.peakMemoryBytes();
    if (peak === undefined) throw new Error('this system does not tell the peak memory of a process');
    peaks.push(peak);
    const name = `peak, ${millions} million entries`;
    yield { name, value: peak / 1e6, unit: 'MB', goal: { atMost: MAX_MEGABYTES } };
  }
  const [first, last] = [peaks[0]!, peaks.at(-1)!];
  yield { name: 'the last ÷ the first', value: last / first, unit: 'x', goal: { atMost: 1.1 } };
}
