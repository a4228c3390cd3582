/** Measures requests on open TLS connections by wrk: Waypost and nginx in turns, and Waypost without TLS. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from '../../tools/http-exchange.ts';
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { type ComparedFile, checkSize, pathOf } from '../hosting/compared-files.ts';
import { findTool } from '../hosting/find-tool.ts';
import { runWrk, type WrkLoad } from '../hosting/wrk.ts';
import type { ServerProcess } from '../server-process.ts';
import { mediansInTurns } from '../statistics.ts';
import type { SecureServers } from './secure-servers.ts';

const ROUNDS = 5;
const SECONDS = 2;
const WARM_UP_SECONDS = 1;
/** The goals: Waypost's requests/s ÷ nginx's, at least. */
const GOALS: Readonly<Record<string, number>> = { '1 kB': 0.55, '11 kB': 0.7 };

const HEADERS = { Host: BENCH_HOSTNAME, 'Accept-Encoding': 'gzip' };

/** wrk sends the host of the URL as the name of the handshake. This script resolves the host without DNS. */
const RESOLVE = `local lookup = wrk.lookup
wrk.lookup = function(host, service) return lookup("127.0.0.1", service) end
`;

/** Writes the files as Waypost sends them into `folder`, for nginx. */
export async function takeFiles(
  { port }: ServerProcess,
  folder: string,
  files: readonly ComparedFile[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of files) {
    const answer = await open(`http://127.0.0.1:${port}${pathOf(file)}`, { headers: HEADERS });
    const gzip = Buffer.concat(await answer.toArray());
    checkSize(file, gzip);
    await writeFile(join(folder, `${pathOf(file)}.gz`), gzip);
  }
}

export async function* benchRequests(
  { Waypost, nginx, plainPort }: SecureServers,
  files: readonly ComparedFile[],
  folder: string,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const wrk = findTool('wrk', 'requests over HTTPS');
  if (wrk === undefined) return;
  const script = join(folder, 'resolve.lua');
  await writeFile(script, RESOLVE);
  const seconds = Math.max(1, Math.round(SECONDS * scale));
  for (const file of files) {
    const secure = ({ port }: { port: number }): WrkLoad => {
      return { url: `https://${BENCH_HOSTNAME}:${port}${pathOf(file)}`, headers: HEADERS, script };
    };
    const loads = {
      Waypost: secure(Waypost),
      nginx: secure(nginx),
      'Waypost without TLS': { url: `http://127.0.0.1:${plainPort}${pathOf(file)}`, headers: HEADERS },
    };
    for (const load of Object.values(loads)) await runWrk(wrk, load, WARM_UP_SECONDS);
    const runs = Object.entries(loads).map(([name, load]) => {
      return [name, async () => (await runWrk(wrk, load, seconds)).requestsPerSecond] as const;
    });
    const medians = await mediansInTurns(Math.max(1, Math.round(ROUNDS * scale)), Object.fromEntries(runs));
    for (const [name, value] of Object.entries(medians)) {
      yield { name: `HTTPS, ${file.name}: ${name}`, value, unit: 'requests/s' };
    }
    const ratio = medians.Waypost! / medians.nginx!;
    yield { name: '  Waypost ÷ nginx', value: ratio, unit: 'x', goal: { atLeast: GOALS[file.name]! } };
  }
}
