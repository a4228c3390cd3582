/** Uploads a list again in another order. Compares the processor time with that of an upload that is published. */
import { setTimeout as delay } from 'node:timers/promises';
import { callApi } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { processorSeconds } from './process-usage.ts';
import { scaled } from './scale.ts';
import { median } from './statistics.ts';
import { plainEntries, shuffledPlainEntries, uploadBody } from './upload-body.ts';

const ROUNDS = 3;
const ENTRIES = 10_000_000;

export async function* benchUnchanged(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(ENTRIES, scale);
  const [inOrder, shuffled] = [plainEntries(urls), shuffledPlainEntries(urls)];
  await using waypost = await startBenchWaypost();
  const seconds: Record<'published' | 'unchanged', number[]> = { published: [], unchanged: [] };
  for (let round = 0; round < ROUNDS; round++) {
    seconds.published.push(await processorTime(waypost, inOrder, { force: true }));
    seconds.unchanged.push(await processorTime(waypost, shuffled, { force: false }));
  }
  const [published, unchanged] = [median(seconds.published), median(seconds.unchanged)];
  const count = urls.toLocaleString('en-US');
  yield { name: `${count} entries, published`, value: published, unit: 'core-s' };
  yield { name: 'the same in another order, unchanged', value: unchanged, unit: 'core-s' };
  yield { name: '… ÷ published', value: unchanged / published, unit: 'x', goal: { atMost: 1.15 } };
  const peak = await waypost.peakMemoryBytes();
  if (peak !== undefined) yield { name: 'peak memory', value: peak / 1e6, unit: 'MB', goal: { atMost: 350 } };
}

async function processorTime(
  waypost: WaypostProcess,
  entries: Buffer,
  { force }: { force: boolean },
): Promise<number> {
  const { answer, coreSeconds } = await measureUpload(waypost, entries, { force });
  const { unchanged = false } = answer;
  if (unchanged === force) throw new Error(`unchanged is ${unchanged}`);
  return coreSeconds;
}

export interface MeasuredUpload {
  readonly answer: {
    readonly unchanged?: boolean;
    readonly filesGenerated: number;
    readonly filesChanged: number;
    readonly placement?: string;
    readonly placementReason?: string;
  };
  readonly coreSeconds: number;
  readonly seconds: number;
}

/** Measures an upload. Waits until the process is idle first. */
export function measureUpload(
  waypost: WaypostProcess,
  entries: Buffer,
  members: Readonly<Record<string, unknown>>,
): Promise<MeasuredUpload> {
  return measureBody(waypost, uploadBody(entries, { members }));
}

/** Measures the upload of a body as it is. */
export async function measureBody(
  { apiUrl, apiKey, pid }: WaypostProcess,
  body: Iterable<Buffer>,
): Promise<MeasuredUpload> {
  await untilIdle(pid);
  const before = await processorSeconds(pid);
  const startedAt = performance.now();
  const answer = await callApi<MeasuredUpload['answer']>(`${apiUrl}/api/sitemap/generate`, apiKey, {
    body,
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return { answer, seconds, coreSeconds: (await processorSeconds(pid)) - before };
}

/** Longer than the time after which queues of background work look for more. */
const IDLE_SECONDS = 4;

/** Waits until the process has been idle for some seconds. The upload before is still compared, and its URLs get an index. */
export async function untilIdle(pid: number): Promise<void> {
  let before = Number.NaN;
  for (let idle = 0; idle < IDLE_SECONDS; ) {
    const now = await processorSeconds(pid);
    idle = now - before < 0.05 ? idle + 1 : 0;
    before = now;
    await delay(1000);
  }
}
