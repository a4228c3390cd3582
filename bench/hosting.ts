/**
 * Measures the hosting server, as `npm run start:hosting` runs it, on sites that a real Waypost published into a folder: beside nginx and
 * express.static, for clients without gzip, for a crawler of a cold and a warm server, beside slow clients, and with the memory of its
 * caches.
 *
 * Servers run on one core, and clients on the other (hosting/cores.ts). If a tool is not installed, its comparison is skipped with a loud
 * message.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figures.ts';
import { besidePeers } from './hosting/beside-peers.ts';
import { crawlColdAndWarm } from './hosting/crawl-cold-and-warm.ts';
import { memoryOfCaches } from './hosting/memory-of-caches.ts';
import { publishSites } from './hosting/publish-sites.ts';
import { startHosting } from './hosting/start-hosting.ts';
import { withSlowConnections } from './hosting/with-slow-connections.ts';
import { withoutGzip } from './hosting/without-gzip.ts';

export async function* benchHosting(scale: number): AsyncGenerator<Figure, void, undefined> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'waypost-hosting-bench-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const sites = await publishSites(join(folder, 'objects'), Math.max(10, Math.round(1000 * scale)));

  const hosting = scope.use(await startHosting({ STORAGE_DIR: sites.objects }));
  yield* besidePeers(hosting, join(folder, 'peers'), scale);
  yield* withoutGzip(hosting, join(folder, 'peers'), scale);
  yield* crawlColdAndWarm(hosting, sites, join(folder, 'visits.json'));
  yield* withSlowConnections(hosting, scale);
  yield* memoryOfCaches();
}
