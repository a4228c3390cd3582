/**
 * Measures the cost of hosting with a directory of many hosts: the time of the first answer after a start, the memory with all shards, and
 * the time of answers for unknown hosts, before and after all shards are replaced.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HOST_SHARDS, hostsKey } from '../../src/features/sites/host-directory.ts';
import { freePort } from '../../tools/free-port.ts';
import { open } from '../../tools/http-exchange.ts';
import { memoryOf } from '../../tools/process-memory.ts';
import type { Figure } from '../figures.ts';
import { startServer } from '../server-process.ts';
import { median, percentile } from '../statistics.ts';
import { writeHostDirectory } from './write-host-directory.ts';

const HOSTS = [1000, 1_000_000];
const UNKNOWN = 2000;
/** After this pause, hosting fetches a shard again. */
const PAUSE_MS = 3000;

export async function* hostDirectory(scale: number): AsyncGenerator<Figure, void, undefined> {
  for (const count of HOSTS.map((hosts) => Math.ceil(hosts * scale))) yield* measure(count);
}

async function* measure(count: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-hosts-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  // Hosting waits for a folder that the API has made.
  await mkdir(join(folder, '.incoming'));
  await writeHostDirectory(
    folder,
    Array.from({ length: count }, (_, n) => `host-${n}.example`),
  );
  const port = await freePort();
  const settings = { STORAGE_DIR: folder, HOSTING_PORT: String(port), LOG_LEVEL: 'warn' };
  const hosting = scope.use(await startServer([process.execPath, 'src/hosting-server.ts'], port, settings));
  const named = (what: string) => `${what}, a directory of ${count.toLocaleString('en-US')} hosts`;
  yield { name: named('first answer'), value: await ask(port), unit: 'ms' };
  const times = await askMany(port);
  yield { name: named('unknown host: median'), value: median(times), unit: 'ms' };
  yield { name: named('unknown host: p99'), value: percentile(times, 99), unit: 'ms' };
  await replaceAll(folder);
  await delay(PAUSE_MS);
  const after = await askMany(port);
  yield { name: named('unknown host, all shards replaced: p99'), value: percentile(after, 99), unit: 'ms' };
  const { resident } = (await memoryOf(hosting.pid))!;
  yield { name: named('memory of hosting'), value: resident / 1e6, unit: 'MB' };
}

/** Gives each shard another version with the same bytes. */
async function replaceAll(folder: string): Promise<void> {
  const now = new Date();
  for (let shard = 0; shard < HOST_SHARDS; shard++) await utimes(join(folder, hostsKey(shard)), now, now);
}

async function askMany(port: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < UNKNOWN; n++) times.push(await ask(port));
  return times;
}

/** Returns the time of the answer in milliseconds. */
async function ask(port: number): Promise<number> {
  const startedAt = performance.now();
  const answer = await open(`http://127.0.0.1:${port}/sitemap.xml`, {
    headers: { Host: `${randomUUID()}.example` },
  });
  await answer.toArray();
  if (answer.statusCode !== 404) throw new Error(`HTTP ${answer.statusCode}`);
  return performance.now() - startedAt;
}
