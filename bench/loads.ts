/**
 * Measures loads and upload sessions beside one upload of the same list: the processor time, with that of Postgres, and the peak memory of
 * the load.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { generatedEntry } from '../tools/generated-upload.ts';
import { callApi } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { BENCH_HOSTNAME, startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { descendantSeconds, processorSeconds } from './process-usage.ts';
import { scaled } from './scale.ts';
import { sendParts } from './sessions.ts';
import { mediansInTurns } from './statistics.ts';
import { untilIdle } from './unchanged.ts';
import { joinedTexts, repeated } from './upload-body.ts';

const ENTRIES = 10_000_000;
const OBJECTS = [20, 200];
const ROUNDS = 3;
const MAX_MEGABYTES = 350;
const NDJSON = 'application/x-ndjson';
const POLL_MS = 500;

export async function* benchLoads(scale: number): AsyncGenerator<Figure, void, undefined> {
  const urls = scaled(ENTRIES, scale);
  for (const count of OBJECTS) {
    const lists = listsOf(Math.ceil(urls / count), count);
    const total = Math.ceil(urls / count) * count;
    await using source = await startSource(lists);
    await using waypost = await startBenchWaypost({ OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8' });
    const load = () => loadAll(waypost, source.urls, total);
    await load();
    const loadPeak = await waypost.peakMemoryBytes();
    const seconds = await mediansInTurns(ROUNDS, {
      request: () => coreSeconds(waypost, () => uploadAll(waypost, lists, total)),
      session: () => coreSeconds(waypost, () => sendSession(waypost, lists)),
      load: () => coreSeconds(waypost, load),
    });
    const row = `${total.toLocaleString('en-US')} URLs in ${count}`;
    yield { name: `${row}, one upload`, value: seconds.request, unit: 'core-s' };
    const goal = { atMost: 1.1 };
    yield {
      name: '… parts of a session ÷ one upload',
      value: seconds.session / seconds.request,
      unit: 'x',
      goal,
    };
    yield {
      name: '… objects of a load ÷ one upload',
      value: seconds.load / seconds.request,
      unit: 'x',
      goal,
    };
    if (loadPeak === undefined) continue;
    yield { name: '… peak of the load', value: loadPeak / 1e6, unit: 'MB', goal: { atMost: MAX_MEGABYTES } };
  }
}

function listsOf(entries: number, count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, n) =>
    joinedTexts(entries, (i) => `${JSON.stringify(generatedEntry(n * entries + i))}\n`, ''),
  );
}

/** The processor time of some work of the service. */
async function coreSeconds({ pid }: WaypostProcess, work: () => Promise<unknown>): Promise<number> {
  await untilIdle(pid);
  const used = async () => (await processorSeconds(pid)) + (await descendantSeconds(pid));
  const before = await used();
  await work();
  return (await used()) - before;
}

function uploadAll(waypost: WaypostProcess, lists: readonly Buffer[], urls: number): Promise<number> {
  const head = { contentType: NDJSON, query: `?domain=${BENCH_HOSTNAME}&force=true` };
  return uploadSeconds(waypost, concatenated(lists), urls, head);
}

function* concatenated(lists: readonly Buffer[]): Generator<Buffer, void, undefined> {
  for (const list of lists) yield* repeated(list, 1, '');
}

async function sendSession(waypost: WaypostProcess, lists: readonly Buffer[]): Promise<void> {
  const bodies = lists.map((list) => () => repeated(list, 1, ''));
  const { id, parts } = await sendParts(waypost, { domain: BENCH_HOSTNAME }, bodies, NDJSON);
  const body = [Buffer.from(JSON.stringify({ parts, force: true }))];
  await callApi(`${waypost.apiUrl}/api/upload-sessions/${id}/commit`, waypost.apiKey, { body });
}

async function loadAll(
  { apiUrl, apiKey }: WaypostProcess,
  sources: readonly string[],
  urls: number,
): Promise<void> {
  const body = [Buffer.from(JSON.stringify({ domain: BENCH_HOSTNAME, sources, force: true }))];
  const { statusUrl } = await callApi<{ statusUrl: string }>(`${apiUrl}/api/sitemap/load`, apiKey, { body });
  for (;;) {
    const { outcome, urlCount } = await callApi<{ outcome: string; urlCount: number }>(
      `${apiUrl}${statusUrl}`,
      apiKey,
    );
    if (outcome === 'published' && urlCount === urls) return;
    if (outcome !== 'running') throw new Error(`the load is ${outcome}, with ${urlCount} URLs`);
    await delay(POLL_MS);
  }
}

/** Serves each list as an object with an entity tag. */
async function startSource(lists: readonly Buffer[]) {
  const server = createServer((request, response) => {
    const n = Number.parseInt(request.url!.slice(1), 10);
    const head = { ETag: `"${n}"`, 'Content-Length': lists[n]!.length, 'Content-Type': NDJSON };
    response.writeHead(200, head).end(lists[n]);
  });
  server.listen(0, '127.0.0.3');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urls: lists.map((_, n) => `http://127.0.0.3:${port}/${n}.ndjson`),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
