/**
 * Measures many writers on two API processes: a session beside one request with the same URLs, and beside a request to each process at
 * once. Then runs a session whose parts are repeated, replaced and sent twice at once while the processes are killed in turn, and reads
 * its result entry by entry.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { callApi } from '../tools/http-exchange.ts';
import { BENCH_HOSTNAME, registerHostname, startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { descendantSeconds, processorSeconds } from './process-usage.ts';
import { scaled } from './scale.ts';
import type { ServerProcess } from './server-process.ts';
import { startApi } from './start-api.ts';
import { inTurns, median } from './statistics.ts';
import { judgePublished } from './writers/judge-published.ts';
import { numberedLines } from './writers/numbered-lines.ts';

const URLS = 100_000_000;
const WRITERS = 64;
/** Each writer sends three parts on average. Their number is no multiple of the number of writers. */
const PARTS = 200;
const NUMBERS = Array.from({ length: PARTS }, (_, i) => i + 1);
const ROUNDS = 3;
const NDJSON = 'application/x-ndjson';
/** The domains of the requests to each process. */
const HALVES = ['first-half.localhost', 'second-half.localhost'];
/** The number of times that a process is killed in the session. */
const KILLS = 4;
const AGAIN_MS = 200;

interface Part {
  readonly part: number;
  readonly digest: string;
}

export async function* benchWriters(scale: number): AsyncGenerator<Figure, void, undefined> {
  const perPart = Math.ceil(scaled(URLS, scale) / PARTS);
  const urls = perPart * PARTS;
  await using waypost = await startBenchWaypost();
  const { apiKey, hostingUrl } = waypost;
  const start = () =>
    startApi(waypost, { STORAGE_DIR: join(waypost.dataDir, 'objects'), RENDER_THREADS: '1' });
  await using nodes = new Nodes([await start(), await start()], start);
  for (const hostname of HALVES) await registerHostname(waypost, hostname);
  /** The processor time of both nodes and Postgres (`core`), and the time from the beginning to the end (`wall`), in seconds. */
  const spent = async (work: () => Promise<unknown>) => {
    const used = async () => {
      const each = await Promise.all(nodes.pids.map(processorSeconds));
      return each.reduce((sum, seconds) => sum + seconds, await descendantSeconds(waypost.pid));
    };
    const [before, startedAt] = [await used(), performance.now()];
    await work();
    const wall = (performance.now() - startedAt) / 1000;
    return { core: (await used()) - before, wall };
  };
  const lines = (part: number, version: number) => numberedLines((part - 1) * perPart, perPart, version);
  const call = <Data>(turn: number, path: string, options: Parameters<typeof callApi>[2]) =>
    callApi<Data>(`${nodes.url(turn)}${path}`, apiKey, options);
  const send = (id: string, part: number, version: number, turn: number) =>
    call<Part>(turn, `/api/upload-sessions/${id}/parts/${part}`, {
      ...{ method: 'PUT', body: lines(part, version), headers: { 'Content-Type': NDJSON } },
    });
  const session = async (write: (id: string, part: number) => Promise<Part>): Promise<number> => {
    const { id } = await call<{ id: string }>(0, '/api/upload-sessions', { body: json(OPENING) });
    const parts: Part[] = [];
    const wanted = NUMBERS.values();
    const writer = async () => {
      for (const n of wanted) {
        const { part, digest } = await write(id, n);
        parts.push({ part, digest });
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    const commit = (turn: number) =>
      call<{ urlCount: number }>(turn, `/api/upload-sessions/${id}/commit`, {
        body: json({ parts, force: true }),
      });
    return (await persist(commit)).urlCount;
  };
  const name = urls.toLocaleString('en-US');

  // Each request and the session replace lists of the same URLs, with another lastmod for each URL.
  let version = 0;
  const upload = (turn: number, hostname: string, parts: readonly number[], own: number) => {
    const all = parts.values().flatMap((part) => lines(part, own));
    const head = { contentType: NDJSON, query: `?domain=${hostname}&force=true` };
    return uploadSeconds({ apiUrl: nodes.url(turn), apiKey }, all, parts.length * perPart, head);
  };
  const request = () => upload(0, BENCH_HOSTNAME, NUMBERS, version++);
  /** Each process gets half of the URLs in a request, for a domain of its own. */
  const requestToEach = () => {
    const own = version++;
    const half = PARTS / HALVES.length;
    return Promise.all(
      HALVES.map((hostname, i) => upload(i, hostname, NUMBERS.slice(i * half, (i + 1) * half), own)),
    );
  };
  const byWriters = () => {
    const own = version++;
    return session((id, part) => persist((turn) => send(id, part, own, part + turn)));
  };
  await request();
  await requestToEach();
  const rounds = await inTurns(ROUNDS, {
    request: () => spent(request),
    requestToEach: () => spent(requestToEach),
    session: () => spent(byWriters),
  });
  const medianOf = (contender: keyof typeof rounds, what: 'core' | 'wall') =>
    median(rounds[contender].map((round) => round[what]));
  const goal = { atLeast: 0.95 };
  yield { name: `${name} URLs, one request`, value: medianOf('request', 'core'), unit: 'core-s' };
  yield {
    name: `… by ${WRITERS} writers in ${PARTS} parts, URLs of a core-second ÷ one request`,
    ...{ value: medianOf('request', 'core') / medianOf('session', 'core'), unit: 'x', goal },
  };
  yield {
    name: '… URLs of a second ÷ a request to each process at once',
    ...{ value: medianOf('requestToEach', 'wall') / medianOf('session', 'wall'), unit: 'x', goal },
  };

  let written = 0;
  const killing = new AbortController();
  const killed = nodes.killInTurn(() => written, killing.signal);
  const urlCount = await session(async (id, part) => {
    const stored = (own: number) => persist((turn) => send(id, part, own, part + turn));
    // A third of the parts is replaced. Half of all parts are sent twice at once.
    if (part % 3 === 0) await stored(version);
    const [first, ...twins] = await Promise.all(
      Array.from({ length: part % 2 === 0 ? 2 : 1 }, () => stored(version + 1)),
    );
    if (twins.some(({ digest }) => digest !== first!.digest)) throw new Error(`twins of part ${part} differ`);
    written += 1;
    return first!;
  });
  killing.abort();
  const verdict = await untilServed(() =>
    judgePublished({ hostingUrl, hostname: BENCH_HOSTNAME }, urls, version + 1),
  );
  const none = { atMost: 0 };
  yield { name: '… with processes killed', value: await killed, unit: 'times', goal: { atLeast: KILLS } };
  yield {
    name: '… URLs of the answer that are too many or too few',
    value: Math.abs(urlCount - urls),
    unit: '',
    goal: none,
  };
  yield {
    name: '… published entries that are too many or too few',
    value: Math.abs(verdict.found - urls),
    unit: '',
    goal: none,
  };
  yield { name: '… lost', value: verdict.lost, unit: '', goal: none };
  yield { name: '… published twice', value: verdict.repeated, unit: '', goal: none };
  yield {
    name: '… mixed: of a replaced part, or of another session',
    value: verdict.mixed,
    unit: '',
    goal: none,
  };
}

const OPENING = { domain: BENCH_HOSTNAME };

function json(members: object): Buffer[] {
  return [Buffer.from(JSON.stringify(members))];
}

/** Asks again until there is an answer: a process may be killed at any time. */
async function persist<T>(ask: (turn: number) => Promise<T>): Promise<T> {
  for (let turn = 0; ; turn++) {
    try {
      return await ask(turn);
    } catch (error) {
      // Such an error is a fault of the bench or of the service, and not of a killed process.
      if (/^4(?!09|29)\d\d |are missing/.test((error as Error).message)) throw error;
      await delay(AGAIN_MS);
    }
  }
}

/** Waits first, because hosting trusts its copy of `site.json` for a second. */
async function untilServed<V extends { readonly mixed: number }>(judge: () => Promise<V>): Promise<V> {
  await delay(2000);
  return judge();
}

/** Two API processes. When one is killed, another one starts, on another port. */
class Nodes implements AsyncDisposable {
  readonly #nodes: ServerProcess[];
  readonly #start: () => Promise<ServerProcess>;

  constructor(nodes: ServerProcess[], start: () => Promise<ServerProcess>) {
    this.#nodes = nodes;
    this.#start = start;
  }

  get pids(): readonly number[] {
    return this.#nodes.map(({ pid }) => pid);
  }

  url(turn: number): string {
    return `http://127.0.0.1:${this.#nodes[turn % this.#nodes.length]!.port}`;
  }

  /** Kills one process after the other, evenly over the parts. Returns the number of kills. */
  async killInTurn(written: () => number, signal: AbortSignal): Promise<number> {
    let kills = 0;
    while (!signal.aborted) {
      await delay(AGAIN_MS);
      if (kills === KILLS || written() < ((kills + 1) * PARTS) / (KILLS + 2)) continue;
      const i = kills % this.#nodes.length;
      const node = this.#nodes[i]!;
      process.kill(node.pid, 'SIGKILL');
      kills += 1;
      await node[Symbol.asyncDispose]();
      this.#nodes[i] = await this.#start();
    }
    return kills;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) await node[Symbol.asyncDispose]();
  }
}
