/** One upload of a million plain entries, over HTTP into the folder store, published; beside JSON.parse alone. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatedBody } from '../src/demo/generated-upload.ts';
import { BENCH_HOSTNAME, startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import { type Figure, median } from './figures.ts';
import { timeJsonParse } from './json-parse-baseline.ts';

const URLS = 1_000_000;
const RUNS = 5;

export async function* benchUpload(): AsyncGenerator<Figure, void, undefined> {
  const body = Buffer.concat([...generatedBody(BENCH_HOSTNAME, URLS)]);
  await using waypost = await startBenchWaypost();

  const first = await uploadSeconds(waypost, slices(body), URLS);
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run++) seconds.push(await uploadSeconds(waypost, slices(body), URLS));
  const wall = median(seconds);
  const file = join(waypost.dataDir, 'body.json');
  await writeFile(file, body);
  const baseline = await timeJsonParse(file, RUNS);
  const peak = await waypost.peakMemoryBytes();

  yield { name: 'body', value: body.length / 1e6, unit: 'MB' };
  yield { name: 'first upload of the process', value: first, unit: 's' };
  yield { name: `upload, median of ${RUNS}`, value: wall, unit: 's' };
  yield { name: 'throughput', value: URLS / wall, unit: 'URLs/s', goal: { atLeast: 300_000 } };
  yield { name: `JSON.parse, fresh process, median of ${RUNS}`, value: baseline, unit: 's' };
  yield { name: 'upload ÷ JSON.parse', value: wall / baseline, unit: 'x' };
  if (peak !== undefined) {
    yield { name: 'peak memory, without Postgres', value: peak / 1e6, unit: 'MB', goal: { atMost: 400 } };
  }
}

/** The client's share of the machine should be small: large writes, nothing made up on the way. */
function* slices(body: Buffer): Generator<Buffer> {
  const size = 1024 * 1024;
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}
