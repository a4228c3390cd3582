/**
 * Measures upload sessions: parts at once beside one upload of the same list, commits of 2,000 files with and without tails, and repeated
 * commits.
 */
import { callApi } from '../tools/http-exchange.ts';
import type { WaypostProcess } from '../tools/waypost-process.ts';
import { BENCH_HOSTNAME, startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { median } from './statistics.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const SIZE_LIMIT = 'gsc-optimized';
const PARTS = 40;
const FILES_OF_PART = 50;
const ENTRIES_OF_FILE = 1000;
const WRITERS = 8;
const REPEATED = 20;

/** The entries of each part beyond its full files. */
const TAILS = [0, 600];

interface Part {
  readonly part: number;
  readonly digest: string;
}

export async function* benchSessions(scale: number): AsyncGenerator<Figure, void, undefined> {
  const files = scaled(FILES_OF_PART * ENTRIES_OF_FILE, scale) / ENTRIES_OF_FILE;
  await using waypost = await startBenchWaypost();
  for (const tail of TAILS) {
    const entries = Math.round(files * ENTRIES_OF_FILE) + tail;
    const urls = PARTS * entries;
    const texts = plainEntries(entries);
    const members = { sizeLimit: SIZE_LIMIT, placement: 'order' };
    const alone = await uploadSeconds(waypost, uploadBody(texts, { repeat: PARTS, members }), urls);
    const opening = { domain: BENCH_HOSTNAME, ...members };
    const part = () => [Buffer.from('['), texts, Buffer.from(']')];
    const { id, parts, seconds } = await sendParts(
      waypost,
      opening,
      Array.from({ length: PARTS }, () => part),
    );
    const name = `${urls.toLocaleString('en-US')} URLs in ${PARTS} parts`;
    yield { name: `${name}, ${WRITERS} at once ÷ one upload`, value: seconds / alone, unit: '×' };
    const first = await commitSeconds(waypost, id, parts, urls);
    const fileCount = PARTS * Math.floor(files) + Math.ceil((PARTS * tail) / ENTRIES_OF_FILE);
    yield {
      name: `… their commit, ${fileCount.toLocaleString('en-US')} files${tail > 0 ? ', of tails too' : ''}`,
      value: first,
      unit: 's',
      goal: { atMost: 2 },
    };
    const again: number[] = [];
    for (let i = 0; i < REPEATED; i++) again.push(await commitSeconds(waypost, id, parts, urls));
    yield { name: '… repeated', value: 1000 * median(again), unit: 'ms', goal: { atMost: 50 } };
  }
}

/** Sends each body as a part, WRITERS bodies at once. `opening`: the members of the session. */
export async function sendParts(
  { apiUrl, apiKey }: WaypostProcess,
  opening: Readonly<Record<string, unknown>>,
  bodies: readonly (() => Iterable<Buffer>)[],
  contentType = 'application/json',
) {
  const sessions = `${apiUrl}/api/upload-sessions`;
  const opened = { body: [Buffer.from(JSON.stringify(opening))] };
  const { id } = await callApi<{ id: string }>(sessions, apiKey, opened);
  const startedAt = performance.now();
  const parts: Part[] = [];
  const wanted = bodies.entries();
  const write = async () => {
    for (const [i, body] of wanted) {
      const url = `${sessions}/${id}/parts/${i + 1}`;
      const sent = { method: 'PUT', body: body(), headers: { 'Content-Type': contentType } };
      const { part, digest } = await callApi<Part>(url, apiKey, sent);
      parts.push({ part, digest });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return { id, parts, seconds: (performance.now() - startedAt) / 1000 };
}

async function commitSeconds(
  { apiUrl, apiKey }: WaypostProcess,
  id: string,
  parts: readonly Part[],
  urls: number,
): Promise<number> {
  const body = [Buffer.from(JSON.stringify({ parts, force: true }))];
  const startedAt = performance.now();
  const url = `${apiUrl}/api/upload-sessions/${id}/commit`;
  const { urlCount } = await callApi<{ urlCount: number }>(url, apiKey, { body });
  if (urlCount !== urls) throw new Error(`${urlCount} URLs were published instead of ${urls}`);
  return (performance.now() - startedAt) / 1000;
}
