/** Measures deltas on a large sitemap, and many clients that change a row each, in the large sitemap and in a small one. */

import { generatedEntry } from '../tools/generated-upload.ts';
import { callApi } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { BENCH_HOSTNAME, registerHostname, startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { processorSeconds } from './process-usage.ts';
import { type Load, measure } from './requests/load.ts';
import { scaled } from './scale.ts';
import { percentile } from './statistics.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const ENTRIES = 10_000_000;
const SIZES = [
  { rows: 1, runs: 100, atMost: 0.1 },
  { rows: 100, runs: 30, atMost: 0.5 },
  { rows: 10_000, runs: 5, atMost: 5 },
];
const LOADS = [
  { connections: 1, atLeast: undefined },
  { connections: 100, atLeast: 400 },
  { connections: 1000, atLeast: 1000 },
];
const SECONDS = 10;
const SMALL_HOSTNAME = 'small.localhost';
const SMALL_URLS = 100;

export async function* benchDeltas(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(ENTRIES, scale);
  await using waypost = await startBenchWaypost();
  await uploadSeconds(waypost, uploadBody(plainEntries(urls)), urls);
  const changes = changedEntries(urls);
  const count = urls.toLocaleString('en-US');
  yield* benchSizes(waypost, urls, changes, scale);
  for (const { connections, atLeast } of LOADS) {
    yield* manyClients(`random rows of ${count} URLs, ${connections} connections`, scale, atLeast, {
      ...loadOf(waypost, connections),
      nextBody: () => deltaBody(BENCH_HOSTNAME, changes(1)),
    });
  }
  await registerHostname(waypost, SMALL_HOSTNAME);
  const small = uploadBody(plainEntries(SMALL_URLS), { members: { domain: SMALL_HOSTNAME } });
  await uploadSeconds(waypost, small, SMALL_URLS);
  const smallChanges = changedEntries(SMALL_URLS);
  yield* manyClients(`rows of one small file, 20 connections`, scale, 1500, {
    ...loadOf(waypost, 20),
    nextBody: () => deltaBody(SMALL_HOSTNAME, smallChanges(1)),
  });
  const peak = await waypost.peakMemoryBytes();
  if (peak !== undefined) yield { name: 'peak memory', value: peak / 1e6, unit: 'MB', goal: { atMost: 350 } };
}

type Api = Pick<WaypostProcess, 'apiUrl' | 'apiKey' | 'pid'>;

/** Measures deltas of several sizes, one after the other. */
export async function* benchSizes(
  waypost: Api,
  urls: number,
  changes: (rows: number) => object[],
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const count = urls.toLocaleString('en-US');
  // The first delta also learns which URLs are in which file.
  yield { name: `the first delta on ${count} URLs`, value: await send(waypost, changes(1)), unit: 's' };
  for (const { rows, runs, atMost } of SIZES) {
    const seconds: number[] = [];
    const before = await processorSeconds(waypost.pid);
    for (let run = 0; run < Math.max(1, runs * Math.min(1, scale * 10)); run++) {
      seconds.push(await send(waypost, changes(rows)));
    }
    const coreSeconds = (await processorSeconds(waypost.pid)) - before;
    const shown = rows.toLocaleString('en-US');
    yield {
      name: `delta of ${shown} random rows: p50 of ${seconds.length}`,
      value: percentile(seconds, 50),
      unit: 's',
    };
    yield { name: '… p99', value: percentile(seconds, 99), unit: 's', goal: { atMost } };
    yield { name: '… processor time of Node', value: (1000 * coreSeconds) / seconds.length, unit: 'ms' };
  }
}

async function* manyClients(
  name: string,
  scale: number,
  atLeast: number | undefined,
  load: Load,
): AsyncGenerator<Figure, void, undefined> {
  const measured = await measure(load, SECONDS * Math.min(1, scale));
  yield {
    name,
    value: measured.perSecond,
    unit: 'deltas/s',
    ...(atLeast !== undefined && { goal: { atLeast } }),
  };
  yield { name: '… p50', value: measured.p50Ms, unit: 'ms' };
  yield { name: '… p99', value: measured.p99Ms, unit: 'ms' };
  yield { name: '… processor time of Node', value: measured.nodeMs, unit: 'ms' };
}

/** Returns a function that makes changed entries. Each call changes other entries, from all parts of the list. */
export function changedEntries(urls: number): (rows: number) => object[] {
  let changes = 0;
  return (rows) =>
    Array.from({ length: rows }, () => {
      const entry = generatedEntry((changes * 7_368_787) % urls);
      // When the entry comes again, its `lastmod` differs from before.
      const day = 1 + (Math.floor(changes / urls) % 28);
      return {
        ...entry,
        lastmod: `2027-02-${String(day).padStart(2, '0')}T00:00:${String(changes++ % 60).padStart(2, '0')}Z`,
      };
    });
}

const deltaBody = (domain: string, upsert: readonly object[]) =>
  Buffer.from(JSON.stringify({ domain, upsert }));

async function send({ apiUrl, apiKey }: Api, upsert: readonly object[]): Promise<number> {
  const startedAt = performance.now();
  const answer = await callApi<{ changed: number }>(`${apiUrl}/api/sitemap/delta`, apiKey, {
    body: [deltaBody(BENCH_HOSTNAME, upsert)],
  });
  if (answer.changed !== upsert.length)
    throw new Error(`${answer.changed} of ${upsert.length} rows have changed`);
  return (performance.now() - startedAt) / 1000;
}

function loadOf({ apiUrl, apiKey, pid }: WaypostProcess, connections: number): Load {
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
  return { url: `${apiUrl}/api/sitemap/delta`, pid, connections, headers };
}
