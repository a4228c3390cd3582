/** Compares the customers' client with curl: 2 million URLs in CSV from standard input, over HTTP until published. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { BENCH_HOSTNAME, startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { scaled } from './scale.ts';
import { mediansInTurns } from './statistics.ts';
import { CSV_HEADER, csvRecords } from './upload-body.ts';

const ROUNDS = 5;
const PROJECT = resolve(import.meta.dirname, '..');
const CLIENT = join(PROJECT, 'client/dist/cli/waypost.js');
const CURL =
  `curl -sf "$WAYPOST_URL/api/sitemap/generate?domain=${BENCH_HOSTNAME}&force=true" -H "X-API-Key: $WAYPOST_API_KEY" ` +
  '-H "Content-Type: text/csv" -X POST -T -';

const run = promisify(execFile);

export async function* benchClient(scale: number): AsyncGenerator<Figure, void, undefined> {
  await run('npm', ['run', 'build', '--workspace', 'client'], { cwd: PROJECT });
  await using waypost = await startBenchWaypost();
  const file = join(waypost.dataDir, 'body.csv');
  await writeFile(file, [Buffer.from(CSV_HEADER), csvRecords(scaled(2_000_000, scale))]);
  const env = { PATH: process.env.PATH, WAYPOST_URL: waypost.apiUrl, WAYPOST_API_KEY: waypost.apiKey };
  const uploadWith = async (program: string) => {
    const startedAt = performance.now();
    await run('sh', ['-c', `cat '${file}' | ${program}`], { env });
    return (performance.now() - startedAt) / 1000;
  };
  const client = `'${process.execPath}' '${CLIENT}' upload - --form csv --domain ${BENCH_HOSTNAME} --force --quiet`;
  const seconds = await mediansInTurns(ROUNDS, {
    curl: () => uploadWith(CURL),
    client: () => uploadWith(client),
    unspooled: () => uploadWith(`${client} --no-spool`),
    gzip: () => uploadWith(`${client} --gzip`),
  });
  yield { name: 'curl', value: seconds.curl, unit: 's' };
  yield { name: 'client', value: seconds.client, unit: 's' };
  yield { name: 'client, --no-spool', value: seconds.unspooled, unit: 's' };
  yield { name: 'client, --gzip', value: seconds.gzip, unit: 's' };
  yield {
    name: "client's speed ÷ curl's",
    value: seconds.curl / seconds.client,
    unit: 'x',
    goal: { atLeast: 0.7 },
  };
}
