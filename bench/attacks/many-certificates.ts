/**
 * Measures the memory of hosting while each of 10,000 hostnames with a certificate is asked for once over HTTPS. The sites are copies of
 * one. Certificates have native memory that the garbage collector does not see.
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { DEFAULT_LIMITS } from '../../src/edges/hosting/hosting-options.ts';
import { siteKey } from '../../src/features/sites/site.ts';
import { memoryOf } from '../../tools/process-memory.ts';
import { BENCH_HOSTNAME } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { SMALL_FILE_PATH } from '../hosting/compared-files.ts';
import { LeanConnection, requestFor } from '../hosting/lean-connection.ts';
import { certify } from '../tls/certify.ts';
import { type SecureHosting, startSecureHosting } from '../tls/start-secure-hosting.ts';

const HOSTNAMES = 10_000;
/** After this part of the hostnames, code, sites and files are in memory, and no certificate has been evicted yet. */
const FIRST_PART = 0.1;
const AT_ONCE = 8;
/** An allowance for memory that the allocator does not give back. */
const OTHER_BYTES = 32_000_000;

export async function* manyCertificates(
  objects: string,
  folder: string,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const hostnames = Array.from(
    { length: Math.ceil(HOSTNAMES * scale) },
    (_, n) => `copy-${n}.many.localhost`,
  );
  const copies = join(folder, 'many');
  await copySite(objects, copies, hostnames);
  const { ca, keys } = await certify(copies, '*.many.localhost', hostnames);
  await using hosting = await startSecureHosting(copies, keys);
  const first = Math.ceil(hostnames.length * FIRST_PART);
  // First load all sites into memory. Sites have a bound of their own, and must not count here.
  await pMap(hostnames, (hostname) => askPlainly(hosting, hostname), { concurrency: AT_ONCE });
  const crawl = (some: readonly string[]) =>
    pMap(some, (hostname) => ask(hosting, hostname, ca), { concurrency: AT_ONCE });
  await crawl(hostnames.slice(0, first));
  const after = await residentOf(hosting);
  await crawl(hostnames.slice(first));
  const atEnd = await residentOf(hosting);
  const many = hostnames.length.toLocaleString('en-US');
  const few = first.toLocaleString('en-US');
  yield { name: `memory of hosting, after ${few} certificates`, value: after / 1e6, unit: 'MB' };
  yield {
    name: `  … ${many}, more than that`,
    value: (atEnd - after) / 1e6,
    unit: 'MB',
    goal: { atMost: (DEFAULT_LIMITS.certificateCacheBytes + OTHER_BYTES) / 1e6 },
  };
  yield {
    name: '  certificates held',
    value: await hosting.metric('waypost_hosting_certificates'),
    unit: '',
  };
}

/** Copies a site to all hostnames. Deletes the host directory, which does not list these hostnames. */
async function copySite(objects: string, copies: string, hostnames: readonly string[]): Promise<void> {
  await cp(objects, copies, { recursive: true });
  await rm(join(copies, 'hosts'), { recursive: true, force: true });
  const site = await readFile(join(copies, siteKey(BENCH_HOSTNAME)), 'utf8');
  for (const hostname of hostnames) {
    await mkdir(join(copies, 'sites', hostname));
    await writeFile(join(copies, siteKey(hostname)), site.replaceAll(BENCH_HOSTNAME, hostname));
  }
}

async function ask({ securePort }: SecureHosting, servername: string, ca: string): Promise<void> {
  using connection = await LeanConnection.openSecurely(securePort, { servername, ca });
  await connection.get(requestFor(servername, SMALL_FILE_PATH));
}

async function askPlainly({ port }: SecureHosting, hostname: string): Promise<void> {
  using connection = await LeanConnection.open(port);
  await connection.get(requestFor(hostname, SMALL_FILE_PATH));
}

async function residentOf({ pid }: SecureHosting): Promise<number> {
  return (await memoryOf(pid))!.resident;
}
