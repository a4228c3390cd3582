/** Measures concurrent uploads: whether they share the machine fairly, and how much a large upload slows down small ones. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import type { ThreadUpload } from './apart/upload-in-thread.ts';
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { median, mediansInTurns, percentile } from './statistics.ts';
import { plainEntries, uploadBody } from './upload-body.ts';
import { openEventLoopWatch } from './watch-event-loop.ts';

const UPLOADS = 8;
const ROUNDS = 3;
const SMALL_UPLOADS = 500;
const SMALL_URLS = 100;

export async function* benchConcurrency(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using watch = await openEventLoopWatch();
  await using waypost = await startBenchWaypost(watch.settings);
  yield* atOnce(waypost, scaled(250_000, scale));

  const upload = smallUpload(waypost);
  const idle: number[] = [];
  for (let run = 0; run < SMALL_UPLOADS * Math.min(1, scale); run++) idle.push(await upload());
  const largeUrls = scaled(1_000_000, scale);
  // Only event loop delays after the start of the large upload count.
  const busy = await duringLargeUpload(waypost, largeUrls, upload, () => watch.takeDelays());
  const delays = await watch.takeDelays();

  const [idleP99, busyP99] = [percentile(idle, 99), percentile(busy, 99)];
  yield { name: `${SMALL_URLS} entries, idle: p99 of ${idle.length}`, value: idleP99 * 1000, unit: 'ms' };
  yield { name: `  beside 10 million: p99 of ${busy.length}`, value: busyP99 * 1000, unit: 'ms' };
  yield { name: '  busy ÷ idle', value: busyP99 / idleP99, unit: 'x', goal: { atMost: 5 } };
  yield { name: 'event-loop delay meanwhile: p99', value: delays.p99, unit: 'ms', goal: { atMost: 30 } };
  yield { name: 'event-loop delay meanwhile: longest', value: delays.max, unit: 'ms' };
}

/** The peer makes the same uploads one after the other, so both sides publish equally often. */
async function* atOnce(waypost: WaypostProcess, urls: number): AsyncGenerator<Figure, void, undefined> {
  const entries = plainEntries(urls);
  const uploads = Array.from({ length: UPLOADS }, (_, n) => () => {
    return uploadSeconds(waypost, uploadBody(entries, { members: { sitemapName: `part-${n}` } }), urls);
  });
  const ratios: number[] = [];
  const seconds = await mediansInTurns(ROUNDS, {
    inRow: () =>
      timed(async () => {
        for (const upload of uploads) await upload();
      }),
    atOnce: () =>
      timed(async () => {
        const each = await Promise.all(uploads.map((upload) => upload()));
        ratios.push(Math.max(...each) / Math.min(...each));
      }),
  });
  const total = urls * UPLOADS;
  yield { name: `${UPLOADS} uploads in a row`, value: total / seconds.inRow, unit: 'URLs/s' };
  yield { name: `${UPLOADS} uploads at once`, value: total / seconds.atOnce, unit: 'URLs/s' };
  const ratio = seconds.inRow / seconds.atOnce;
  yield { name: '  at once ÷ in a row', value: ratio, unit: 'x', goal: { atLeast: 0.9 } };
  const spread = median(ratios);
  yield { name: '  the slowest ÷ the fastest', value: spread, unit: 'x', goal: { atMost: 1.5 } };
}

function smallUpload(waypost: WaypostProcess): () => Promise<number> {
  const body = [...uploadBody(plainEntries(SMALL_URLS), { members: { sitemapName: 'small' } })];
  return () => uploadSeconds(waypost, body, SMALL_URLS);
}

/** Runs small uploads in a row while 10 × `urls` are uploaded. Returns the seconds of each. */
async function duringLargeUpload(
  { apiUrl, apiKey }: WaypostProcess,
  urls: number,
  upload: () => Promise<number>,
  onStart: () => Promise<unknown>,
): Promise<number[]> {
  const workerData: ThreadUpload = { apiUrl, apiKey, urls, form: { repeat: 10 } };
  const large = new Worker(new URL('./apart/upload-in-thread.ts', import.meta.url), { workerData });
  await once(large, 'message');
  let isDone = false;
  const ended = once(large, 'exit').finally(() => {
    isDone = true;
  });
  await onStart();
  const seconds: number[] = [];
  while (!isDone) seconds.push(await upload());
  await ended;
  return seconds;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
