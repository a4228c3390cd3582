/** Sends every hostile body, and measures the time to the answer and the memory. */
import { memoryOf } from '../tools/process-memory.ts';
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { HOSTILE_BODIES } from './hostile-bodies.ts';
import { resetPeak } from './process-usage.ts';
import { timeAnswer } from './time-answer.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const MAX_SECONDS = 1;
const MAX_MEGABYTES = 64 * 1.048576;

export async function* benchHostile(): AsyncGenerator<Figure, void, undefined> {
  await using waypost = await startBenchWaypost();
  // Warm up first: a fresh process has less memory than an idle one.
  await uploadSeconds(waypost, uploadBody(plainEntries(1_000_000)), 1_000_000);
  const { pid } = waypost;
  for (const body of HOSTILE_BODIES) {
    const idle = (await memoryOf(pid))!.resident;
    await resetPeak(pid);
    const { status, seconds } = await timeAnswer(waypost, body.chunks());
    if (status !== body.status) throw new Error(`${body.name}: HTTP ${status} instead of ${body.status}`);
    const cost = (await memoryOf(pid))!.peak - idle;
    yield { name: `${body.name} → ${status}`, value: seconds, unit: 's', goal: { atMost: MAX_SECONDS } };
    yield { name: '  memory above idle', value: cost / 1e6, unit: 'MB', goal: { atMost: MAX_MEGABYTES } };
  }
}
