/**
 * Measures the same bytes under the same load from Waypost, nginx and express.static, in turns. All three run all the time. They share a
 * core, but a server without requests takes no time of it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from '../../tools/http-exchange.ts';
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import type { ServerProcess } from '../server-process.ts';
import { inTurns, median } from '../statistics.ts';
import { COMPARED_FILES, type ComparedFile, checkSize, pathOf } from './compared-files.ts';
import { findTool } from './find-tool.ts';
import { startExpress } from './start-express.ts';
import { startNginx } from './start-nginx.ts';
import { runWrk, type WrkLoad, type WrkRun } from './wrk.ts';

const ROUNDS = 5;
const SECONDS = 2;
const WARM_UP_SECONDS = 1;
/** The goal for every file: Waypost's throughput ÷ express.static's. */
const OF_EXPRESS = 5;

type Name = 'Waypost' | 'nginx' | 'express.static';
type Contenders = ReadonlyMap<Name, ServerProcess>;
type Headers = Readonly<Record<string, string>>;

const HEADERS: Headers = { Host: BENCH_HOSTNAME, 'Accept-Encoding': 'gzip' };

/** `folder`: is made here, for the files of the peers. */
export async function* besidePeers(
  hosting: ServerProcess,
  folder: string,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const wrk = findTool('wrk', 'the comparison with nginx and express.static');
  if (wrk === undefined) return;
  const nginx = findTool('nginx', 'the comparison with nginx');
  await using scope = new AsyncDisposableStack();
  const files = await takeFiles(hosting, folder);
  const contenders = new Map<Name, ServerProcess>([['Waypost', hosting]]);
  if (nginx !== undefined) {
    contenders.set('nginx', scope.use(await startNginx(nginx, folder, join(folder, 'nginx'))));
  }
  contenders.set('express.static', scope.use(await startExpress(folder)));

  const measure = async (loads: ReadonlyMap<Name, WrkLoad>) => {
    for (const load of loads.values()) await runWrk(wrk, load, WARM_UP_SECONDS);
    const seconds = Math.max(1, Math.round(SECONDS * scale));
    const runs = [...loads].map(([name, load]) => [name, () => runWrk(wrk, load, seconds)] as const);
    return inTurns(Math.max(1, Math.round(ROUNDS * scale)), Object.fromEntries(runs));
  };
  for (const [file, gzip] of files) {
    const goals = { nginx: file.ofNginx, 'express.static': OF_EXPRESS };
    yield* figures(file.name, await measure(await wholeFiles(contenders, file, gzip)), goals);
  }
  const [small] = COMPARED_FILES;
  yield* figures('304', await measure(await revalidations(contenders, small!)), {});
}

/** Fetches the compared files from Waypost, and writes them into `folder` for the peers. */
async function takeFiles(hosting: ServerProcess, folder: string): Promise<Map<ComparedFile, Buffer>> {
  await mkdir(folder);
  const files = new Map<ComparedFile, Buffer>();
  for (const file of COMPARED_FILES) {
    const { body } = await ask(urlOf('Waypost', hosting, file), HEADERS);
    checkSize(file, body);
    await writeFile(join(folder, `${pathOf(file)}.gz`), body);
    files.set(file, body);
  }
  return files;
}

/** Makes the load for wrk. Checks first that each server sends the file. */
async function wholeFiles(contenders: Contenders, file: ComparedFile, gzip: Buffer) {
  const loads = new Map<Name, WrkLoad>();
  for (const [name, server] of contenders) {
    const url = urlOf(name, server, file);
    const { status, headers, body } = await ask(url, HEADERS);
    const isXml = headers['content-type']?.startsWith('application/xml');
    if (status !== 200 || headers['content-encoding'] !== 'gzip' || !isXml || !body.equals(gzip)) {
      throw new Error(`${name} does not send what Waypost sends (HTTP ${status})`);
    }
    loads.set(name, { url, headers: HEADERS });
  }
  return loads;
}

/** Makes the load of clients that have the file already. Each server gets its own entity tag. */
async function revalidations(contenders: Contenders, file: ComparedFile) {
  const loads = new Map<Name, WrkLoad>();
  for (const [name, server] of contenders) {
    const url = urlOf(name, server, file);
    const { etag } = (await ask(url, HEADERS)).headers;
    const headers = { ...HEADERS, 'If-None-Match': etag ?? '' };
    const { status } = await ask(url, headers);
    if (status !== 304) throw new Error(`${name} answers ${status} instead of 304`);
    loads.set(name, { url, headers });
  }
  return loads;
}

function* figures(
  what: string,
  runs: Readonly<Record<string, readonly WrkRun[]>>,
  goals: Readonly<Record<string, number>>,
): Generator<Figure> {
  const throughputOf = (name: string) => median(runs[name]!.map((run) => run.requestsPerSecond));
  for (const name of Object.keys(runs)) {
    yield { name: `${what}: ${name}`, value: throughputOf(name), unit: 'requests/s' };
    yield { name: '  p99', value: median(runs[name]!.map((run) => run.p99Ms)), unit: 'ms' };
    if (name === 'Waypost') continue;
    const value = throughputOf('Waypost') / throughputOf(name);
    const atLeast = goals[name];
    yield {
      name: `  Waypost ÷ ${name}`,
      value,
      unit: 'x',
      ...(atLeast !== undefined && { goal: { atLeast } }),
    };
  }
}

/** Only express.static needs the name of the compressed file. */
function urlOf(name: Name, { port }: ServerProcess, file: ComparedFile): string {
  return `http://127.0.0.1:${port}${pathOf(file)}${name === 'express.static' ? '.gz' : ''}`;
}

async function ask(url: string, headers: Headers) {
  const answer = await open(url, { headers });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: Buffer.concat(await answer.toArray()),
  };
}
