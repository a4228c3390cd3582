/** Runs autocannon against one server, and measures the server's rate and processor time. */
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { descendantSeconds, processorSeconds } from '../process-usage.ts';

export interface Load {
  readonly url: string;
  /** The id of the server's process. Its Postgres is among its descendants. */
  readonly pid: number;
  readonly connections: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body that a connection sends repeatedly. If it is absent, the requests are GET. */
  readonly bodyOf?: (connection: number) => Buffer;
  /** The body of the next request of any connection, in place of `bodyOf`. */
  readonly nextBody?: () => Buffer;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The processor time of a request in ms, of Node with all its threads. `postgresMs` is that of all processes of Postgres. */
  readonly nodeMs: number;
  readonly postgresMs: number;
}

const SAMPLE_MS = 100;
/** A server at rest needs less than this share of a core. Its timers and the checkpoints of Postgres need some. */
const REST = 0.1;
const REST_MS = 500;
const MAX_REST_MS = 15_000;

/**
 * Waits until the server is at rest, then measures. If `seconds` is below 1, each connection makes one request.
 * Throws if a request fails or is refused.
 */
export async function measure(load: Load, seconds: number): Promise<Measured> {
  await untilRest(load.pid);
  const before = await spentSeconds(load.pid);
  const { requests, latency, duration } = await fire(load, seconds);
  const after = await spentSeconds(load.pid);
  return {
    perSecond: requests.total / duration,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    nodeMs: (1000 * (after.node - before.node)) / requests.total,
    postgresMs: (1000 * (after.postgres - before.postgres)) / requests.total,
  };
}

async function fire(load: Load, seconds: number): Promise<autocannon.Result> {
  const { url, headers, connections, bodyOf, nextBody } = load;
  let connection = 0;
  const result = await autocannon({
    url,
    headers,
    connections,
    ...(seconds < 1 ? { amount: connections } : { duration: seconds }),
    sampleInt: SAMPLE_MS,
    ...(bodyOf && {
      method: 'POST' as const,
      setupClient: (client: autocannon.Client) => client.setBody(bodyOf(connection++)),
    }),
    ...(nextBody && {
      method: 'POST' as const,
      requests: [{ setupRequest: (request: autocannon.Request) => ({ ...request, body: nextBody() }) }],
    }),
  });
  const failed = result.non2xx + result.errors;
  if (failed > 0) {
    const statuses = JSON.stringify(result.statusCodeStats);
    throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed: ${statuses}`);
  }
  return result;
}

async function spentSeconds(pid: number): Promise<{ node: number; postgres: number }> {
  return { node: await processorSeconds(pid), postgres: await descendantSeconds(pid) };
}

/** Waits until the work that an earlier load has left is done: jobs, comparisons, checkpoints. */
async function untilRest(pid: number): Promise<void> {
  const giveUpAt = performance.now() + MAX_REST_MS;
  while (performance.now() < giveUpAt) {
    const before = await spentSeconds(pid);
    await delay(REST_MS);
    const after = await spentSeconds(pid);
    const spent = after.node - before.node + after.postgres - before.postgres;
    if (spent <= (REST * REST_MS) / 1000) return;
  }
}
