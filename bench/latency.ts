/** Measures the time until an upload of ten million is refused for a bad entry in its middle. */
import { BENCH_HOSTNAME, startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { median } from './statistics.ts';
import { DECIDED, timeAnswer } from './time-answer.ts';
import { plainEntries, repeated } from './upload-body.ts';

const RUNS = 3;
const HALF_IN_MILLIONS = 5;

export async function* benchLatency(scale: number): AsyncGenerator<Figure, void, undefined> {
  const million = plainEntries(scaled(1_000_000, scale));
  await using waypost = await startBenchWaypost();
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const answer = await timeAnswer(waypost, badInTheMiddle(million));
    if (answer.status !== 422) throw new Error(`HTTP ${answer.status} instead of 422`);
    seconds.push(answer.seconds);
  }
  yield { name: `bytes to refusal, median of ${RUNS}`, value: median(seconds), unit: 's' };
  yield { name: 'bytes to refusal, slowest', value: Math.max(...seconds), unit: 's', goal: { atMost: 0.5 } };
}

/** The mark stands before the bad bytes. So the time until the socket takes these bytes counts, too. */
function* badInTheMiddle(million: Buffer): Generator<Buffer | typeof DECIDED> {
  yield Buffer.from(`{"domain":"${BENCH_HOSTNAME}","urls":[`);
  yield* repeated(million, HALF_IN_MILLIONS);
  yield DECIDED;
  yield Buffer.from(',{"loc":"nowhere"},');
  yield* repeated(million, HALF_IN_MILLIONS);
  yield Buffer.from(']}');
}
