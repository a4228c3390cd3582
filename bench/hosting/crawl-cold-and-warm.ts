/**
 * Measures a search engine that visits every file of 1,000 hosts once, 32 at a time. The first visit is to a server that has just started,
 * the second to the same server. Only Waypost is cold: the system has the files in its cache both times.
 *
 * Crawlers spread their requests. So the visit asks every host for its index, then every host for part 1, and so on.
 */
import { writeFile } from 'node:fs/promises';
import { runApart } from '../../tools/run-apart.ts';
import type { Crawl, Visit } from '../apart/crawl-hosts.ts';
import type { Figure } from '../figures.ts';
import type { ServerProcess } from '../server-process.ts';
import { onClientCore } from './cores.ts';
import { PARTS, type PublishedSites } from './publish-sites.ts';
import { startHosting } from './start-hosting.ts';

const SCRIPT = new URL('../apart/crawl-hosts.ts', import.meta.url);

/**
 * `running`: a server that is warm already, on which the client warms up. `visitsFile`: the file from which the client reads its visits.
 */
export async function* crawlColdAndWarm(
  running: ServerProcess,
  { objects, hostnames }: PublishedSites,
  visitsFile: string,
): AsyncGenerator<Figure, void, undefined> {
  const paths = ['/sitemap-index.xml', ...Array.from({ length: PARTS }, (_, n) => `/sitemap.${n + 1}.xml`)];
  const visits: Visit[] = paths.flatMap((path) => hostnames.map((host) => ({ host, path })));
  await writeFile(visitsFile, JSON.stringify(visits));

  await using fresh = await startHosting({ STORAGE_DIR: objects });
  const ports = [running, fresh, fresh].map(({ port }) => String(port));
  const [, cold, warm] = await runApart<Crawl[]>(SCRIPT, [visitsFile, ...ports], onClientCore);
  const files = `${visits.length.toLocaleString('en-US')} files of ${hostnames.length} hosts`;
  // A visit to fewer hosts ends before the process is warm.
  const goal = hostnames.length >= 1_000 ? { goal: { atLeast: 10_000 } } : {};
  yield* figures(`crawl of ${files}, cold`, cold!, goal);
  yield* figures('the same, warm', warm!);
}

function* figures(
  name: string,
  { requestsPerSecond, p50Ms, p99Ms }: Crawl,
  goal: Pick<Figure, 'goal'> = {},
): Generator<Figure> {
  yield { name, value: requestsPerSecond, unit: 'requests/s', ...goal };
  yield { name: '  p50', value: p50Ms, unit: 'ms' };
  yield { name: '  p99', value: p99Ms, unit: 'ms' };
}
