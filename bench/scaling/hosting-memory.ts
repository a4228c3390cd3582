/**
 * Measures the memory of a hosting process that knows many sites, after a crawler has asked each for its sitemap once. The sites are copies
 * of one published site and share its file, because files have a bounded cache of their own.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tools/free-port.ts';
import { open } from '../../tools/http-exchange.ts';
import { memoryOf } from '../../tools/process-memory.ts';
import { BENCH_HOSTNAME, startBenchWaypost, uploadSeconds } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { startServer } from '../server-process.ts';
import { plainEntries, uploadBody } from '../upload-body.ts';
import { writeHostDirectory } from './write-host-directory.ts';

const SITES = [1, 1000, 10_000];
const ENTRIES = 1000;

export async function* hostingMemory(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-scaling-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const objects = join(folder, 'objects');
  await publishOne(objects);
  const counts = SITES.map((count) => Math.ceil(count * scale));
  const hostnames = Array.from({ length: counts.at(-1)! }, (_, n) => `copy-${n}.localhost`);
  await copySite(objects, hostnames);
  await writeHostDirectory(objects, hostnames);

  const port = await freePort();
  const settings = { STORAGE_DIR: objects, HOSTING_PORT: String(port), LOG_LEVEL: 'warn' };
  const hosting = scope.use(await startServer([process.execPath, 'src/hosting-server.ts'], port, settings));
  let asked = 0;
  for (const count of counts) {
    for (; asked < count; asked++) await ask(port, hostnames[asked]!);
    const megabytes = (await memoryOf(hosting.pid))!.resident / 1e6;
    const sites = count.toLocaleString('en-US');
    yield { name: `memory of hosting, ${sites} sites known`, value: megabytes, unit: 'MB' };
  }
}

async function publishOne(objects: string): Promise<void> {
  await using waypost = await startBenchWaypost();
  await uploadSeconds(waypost, uploadBody(plainEntries(ENTRIES)), ENTRIES);
  await cp(join(waypost.dataDir, 'objects'), objects, { recursive: true });
}

async function copySite(objects: string, hostnames: readonly string[]): Promise<void> {
  const original = join(objects, 'sites', BENCH_HOSTNAME);
  const site = await readFile(join(original, 'site.json'), 'utf8');
  for (const hostname of hostnames) {
    const copy = join(objects, 'sites', hostname);
    await mkdir(copy);
    await writeFile(join(copy, 'site.json'), site.replaceAll(BENCH_HOSTNAME, hostname));
  }
}

async function ask(port: number, hostname: string): Promise<void> {
  const headers = { Host: hostname, 'Accept-Encoding': 'gzip' };
  const answer = await open(`http://127.0.0.1:${port}/sitemap.xml`, { headers });
  await answer.toArray();
  if (answer.statusCode !== 200) throw new Error(`${hostname}: HTTP ${answer.statusCode}`);
}
