/** Small uploads per second, beside a bare Express route that reads and parses the same body. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import { registerHostname, startBenchWaypost } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { plainEntries, uploadBody } from './upload-body.ts';

const URLS = 100;
const CONNECTIONS = 20;
const SECONDS = 10;
const WARM_UP_SECONDS = 2;

interface Load {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly bodyOf: (connection: number) => Buffer;
}

export async function* benchRequests(scale: number): AsyncGenerator<Figure, void, undefined> {
  const entries = plainEntries(URLS);
  const bodyFor = (domain: string) => Buffer.concat([...uploadBody(entries, { members: { domain } })]);
  const hostnames = Array.from({ length: CONNECTIONS }, (_, n) => `bench-${n}.localhost`);
  await using waypost = await startBenchWaypost();
  for (const hostname of hostnames) await registerHostname(waypost, hostname);
  await using route = await startExpressRoute();

  const bodies = hostnames.map(bodyFor);
  const url = `${waypost.apiUrl}/api/sitemap/generate`;
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': waypost.apiKey };
  const own = { url, headers, bodyOf: (n: number) => bodies[n]! };
  yield* figures('Waypost, one domain per connection', own, scale);
  yield* figures('Waypost, one domain for all', { ...own, bodyOf: () => bodies[0]! }, scale);
  yield* figures('bare Express route', { ...own, url: route.url }, scale);
}

async function* figures(name: string, load: Load, scale: number): AsyncGenerator<Figure, void, undefined> {
  await fire(load, WARM_UP_SECONDS * scale);
  const { requests, latency } = await fire(load, SECONDS * scale);
  yield { name, value: requests.average, unit: 'requests/s' };
  yield { name: '  p99', value: latency.p99, unit: 'ms' };
}

async function fire({ url, headers, bodyOf }: Load, seconds: number): Promise<autocannon.Result> {
  let connection = 0;
  const result = await autocannon({
    url,
    headers,
    method: 'POST',
    connections: CONNECTIONS,
    duration: Math.max(1, seconds),
    setupClient: (client) => client.setBody(bodyOf(connection++)),
  });
  const failed = result.non2xx + result.errors;
  if (failed > 0) throw new Error(`${failed} requests to ${url} failed`);
  return result;
}

async function startExpressRoute(): Promise<AsyncDisposable & { readonly url: string }> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = fork(new URL('./apart/express-route.ts', import.meta.url), { env });
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
