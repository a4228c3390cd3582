/** `crawl-hosts.ts <visits.json> <port>…`: makes all visits to one server after the other, and prints a Crawl for each. */
import { readFile } from 'node:fs/promises';
import { LeanConnection, requestFor } from '../hosting/lean-connection.ts';
import { percentile } from '../statistics.ts';

export interface Visit {
  readonly host: string;
  readonly path: string;
}

export interface Crawl {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const AT_ONCE = 32;

const [visitsFile, ...ports] = process.argv.slice(2) as [string, ...string[]];
const visits: Visit[] = JSON.parse(await readFile(visitsFile, 'utf8'));
const requests = visits.map(({ host, path }) => requestFor(host, path));
const crawls: Crawl[] = [];
for (const port of ports) crawls.push(await crawl(Number(port)));
process.stdout.write(JSON.stringify(crawls));

async function crawl(port: number): Promise<Crawl> {
  const times: number[] = [];
  const waiting = requests.values();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      using connection = await LeanConnection.open(port);
      // All connections share one iterator of requests.
      for (const request of waiting) {
        const sentAt = performance.now();
        await connection.get(request);
        times.push(performance.now() - sentAt);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    requestsPerSecond: requests.length / seconds,
    p50Ms: percentile(times, 50),
    p99Ms: percentile(times, 99),
  };
}
