/**
 * Measures clients without gzip: the requests/s of an inflated file ÷ the requests/s of the same file as gzip, by wrk and by autocannon, in
 * turns. nginx sends the same bytes from plain files. So its figures show the limits of the machine's loopback and of the client.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { open } from '../../tools/http-exchange.ts';
import { runApart } from '../../tools/run-apart.ts';
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import type { ServerProcess } from '../server-process.ts';
import { mediansInTurns } from '../statistics.ts';
import { COMPARED_FILES, pathOf } from './compared-files.ts';
import { onClientCore } from './cores.ts';
import { findTool } from './find-tool.ts';
import { startNginx } from './start-nginx.ts';
import { runWrk, type WrkLoad } from './wrk.ts';

const ROUNDS = 3;
const SECONDS = 2;
const AUTOCANNON = new URL('../apart/autocannon-load.ts', import.meta.url);

type Run = (load: WrkLoad, seconds: number) => Promise<number>;

/** `folder`: has the gzip files of `besidePeers`. The plain files are written beside them. */
export async function* withoutGzip(
  hosting: ServerProcess,
  folder: string,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const wrk = findTool('wrk', 'the load of clients without gzip');
  const nginxTool = findTool('nginx', 'the comparison of clients without gzip with nginx');
  if (wrk === undefined) return;
  await using scope = new AsyncDisposableStack();
  const nginx =
    nginxTool === undefined
      ? undefined
      : scope.use(await startNginx(nginxTool, folder, join(folder, 'nginx-plain')));
  const tools: Record<string, Run> = {
    wrk: async (load, seconds) => (await runWrk(wrk, load, seconds)).requestsPerSecond,
    autocannon: (load, seconds) =>
      runApart<number>(AUTOCANNON, [JSON.stringify(load), String(seconds)], onClientCore),
  };
  const seconds = Math.max(1, Math.round(SECONDS * scale));
  const rounds = Math.max(1, Math.round(ROUNDS * scale));
  for (const file of COMPARED_FILES) {
    await writePlainFile(hosting, join(folder, pathOf(file)), pathOf(file));
    for (const [tool, run] of Object.entries(tools)) {
      const ratioOf = async ({ port }: ServerProcess) => {
        const [identity, gzip] = loadsOf(port, pathOf(file));
        for (const load of [identity, gzip]) await run(load, 1);
        const { plain, zipped } = await mediansInTurns(rounds, {
          plain: () => run(identity, seconds),
          zipped: () => run(gzip, seconds),
        });
        return { plain, ratio: plain / zipped };
      };
      const { plain, ratio } = await ratioOf(hosting);
      yield { name: `${file.name} without gzip, by ${tool}`, value: plain, unit: 'requests/s' };
      yield { name: '  ÷ with gzip', value: ratio, unit: 'x', goal: { atLeast: file.identityOfGzip } };
      if (nginx === undefined) continue;
      yield { name: '  the same ratio of nginx', value: (await ratioOf(nginx)).ratio, unit: 'x' };
    }
  }
}

function loadsOf(port: number, path: string): readonly [WrkLoad, WrkLoad] {
  const url = `http://127.0.0.1:${port}${path}`;
  const headers = { Host: BENCH_HOSTNAME };
  return [
    { url, headers },
    { url, headers: { ...headers, 'Accept-Encoding': 'gzip' } },
  ];
}

/** Writes the plain file. Checks first that it is the inflated gzip file. */
async function writePlainFile({ port }: ServerProcess, to: string, path: string): Promise<void> {
  const [identity, gzip] = await Promise.all(
    loadsOf(port, path).map(async ({ url, headers }) =>
      Buffer.concat(await (await open(url, { headers })).toArray()),
    ),
  );
  if (!gunzipSync(gzip!).equals(identity!)) throw new Error(`${path} differs without gzip`);
  await writeFile(to, identity!);
}
