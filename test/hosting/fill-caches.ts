/**
 * `fill-caches.ts <kind>`: a process whose hosting server has as many files of some 300 bytes in memory as fit. Prints what
 * the caches count and what the process holds, both above the same server before the first request. `filled-caches.ts` has
 * the flags that it needs.
 */
import { Agent, get } from 'node:http';
import pMap from 'p-map';
import { publishSite } from './hosted-site.ts';
import { startHosting } from './start-hosting.ts';

export type Kind = 'objects' | 'small files' | 'inflated';

export interface Filled {
  readonly counted: number;
  readonly external: number;
  readonly heap: number;
}

const MIB = 1024 * 1024;
/** Each cache has room for some thousands of files. */
const LIMITS = {
  cacheBytes: 6 * MIB,
  siteCacheBytes: 4 * MIB,
  siteFreshMs: 3_600_000,
  unknownHostsPerSecond: 1e6,
};
const FILES = 8_000;
const FILES_OF_SITE = 100;

const kind = process.argv[2] as Kind;
await using hosting = await startHosting(LIMITS);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Text that gzip hardly shrinks. */
const xmlOf = (n: number) =>
  `<urlset>${Array.from({ length: 12 }, (_, i) => (((n + 1) * (i + 7) * 2654435761) % 2 ** 40).toString(36)).join('')}${'x'.repeat(100)}</urlset>`;

const hostnames = Array.from({ length: FILES / FILES_OF_SITE }, (_, site) => `site-${site}.example.com`);
for (const [site, hostname] of hostnames.entries()) {
  const files = Array.from({ length: FILES_OF_SITE }, (_, n) => xmlOf(site * FILES_OF_SITE + n));
  const isSmall = kind === 'small files';
  await publishSite(hosting.storage, {
    hostname,
    isSmall,
    sitemaps: [{ uploadId: `upload-${site}`, files }],
  });
}

const ask = (host: string, path: string) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { Host: host, ...(kind !== 'inflated' && { 'Accept-Encoding': 'gzip' }) };
  get({ port: hosting.port, path, headers, agent }, (answer) => {
    answer.resume().on('end', resolve);
    if (answer.statusCode !== 200) reject(new Error(`HTTP ${answer.statusCode}`));
  }).on('error', reject);
  return promise;
};
/** Measures until nothing more is freed: buffers and streams go some turns after their owners. */
const measure = async (): Promise<Filled> => {
  let least = process.memoryUsage();
  for (let unchanged = 0; unchanged < 10; unchanged++) {
    globalThis.gc!();
    await new Promise((resolve) => setImmediate(resolve));
    const usage = process.memoryUsage();
    if (usage.heapUsed + usage.external > least.heapUsed + least.external - 10_000) continue;
    least = usage;
    unchanged = 0;
  }
  const { external, heapUsed } = least;
  return { counted: hosting.counts.siteBytes() + hosting.counts.objectBytes(), external, heap: heapUsed };
};

// The first requests allocate some memory once. It does not count.
for (let n = 1; n <= 50; n++) await ask(hostnames.at(-1)!, `/sitemap.${n}.xml`);
const before = await measure();
const paths = Array.from({ length: FILES_OF_SITE }, (_, n) => `/sitemap.${n + 1}.xml`);
await pMap(
  hostnames.flatMap((host) => paths.map((path) => [host, path] as const)),
  ([host, path]) => ask(host, path),
  { concurrency: 8 },
);
const after = await measure();
const grown = {
  counted: after.counted - before.counted,
  external: after.external - before.external,
  heap: after.heap - before.heap,
} satisfies Filled;
process.stdout.write(JSON.stringify(grown));
agent.destroy();
