/** Opens as many idle connections as a server takes, from many addresses or one. Then measures how soon a new client is served. */
import { BENCH_HOSTNAME, startBenchWaypost } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { MEDIUM_FILE_PATH } from '../hosting/compared-files.ts';
import { requestFor } from '../hosting/lean-connection.ts';
import { startHosting } from '../hosting/start-hosting.ts';
import { apiRequest } from './api-request.ts';
import { holdConnections, untilConnected } from './attackers.ts';
import { timeAnswer } from './cold-sites.ts';
import { runBeside } from './honest-load.ts';

const CONNECTIONS = 200;
const SECONDS = 3;
const REQUESTS_PER_SECOND = 50;
/** If the connections are not open in this time, the server refuses some of them. */
const CONNECTING_MS = 1000;
const NEW_CLIENTS = 10;
const NEW_CLIENT_ADDRESS = '127.0.0.2';
/** A refused client tries again at once, for this long. */
const PATIENCE_MS = 5000;

export async function* idleConnections(
  objects: string,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const connections = Math.max(20, Math.ceil(CONNECTIONS * scale));
  const limit = String(connections);
  await using hosting = await startHosting({ STORAGE_DIR: objects, HOSTING_MAX_CONNECTIONS: limit });
  const file = requestFor(BENCH_HOSTNAME, MEDIUM_FILE_PATH);
  for (const addresses of [connections, 1]) {
    yield* measure('hosting', { port: hosting.port, request: file, connections, addresses }, scale);
  }
  await using waypost = await startBenchWaypost({ API_MAX_CONNECTIONS: limit });
  const port = Number(new URL(waypost.apiUrl).port);
  const listing = apiRequest('/api/domains', waypost.apiKey);
  for (const addresses of [connections, 1]) {
    yield* measure('the API', { port, request: listing, connections, addresses }, scale);
  }
}

interface Attack {
  readonly port: number;
  readonly request: string;
  readonly connections: number;
  readonly addresses: number;
}

async function* measure(
  server: string,
  { port, request, connections, addresses }: Attack,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  const load = { port, request, perSecond: REQUESTS_PER_SECOND, seconds: SECONDS * scale };
  const { beside, found } = await runBeside(
    load,
    () => holdConnections({ port, connections, openPerSecond: 1000, addresses }),
    async (attacker) => {
      await untilConnected(attacker, connections, CONNECTING_MS);
      return { newClient: await slowestNewClient(port, request), ...attacker.report() };
    },
  );
  const from = addresses === 1 ? '1 address' : `${addresses} addresses`;
  const name = `${connections} idle connections to ${server} from ${from}: a new client is served after`;
  yield { name, value: found.newClient, unit: 's', goal: { atMost: 1 } };
  yield { name: '  honest p99', value: beside.p99Ms, unit: 'ms' };
  yield { name: '  honest requests not served', value: beside.failed, unit: '', goal: { atMost: 0 } };
  yield { name: '  idle connections left', value: found.connected, unit: '' };
}

/**
 * Returns the time of the slowest of several new clients, one after the other, in seconds. A client that is not served in time counts as
 * PATIENCE_MS.
 */
async function slowestNewClient(port: number, request: string): Promise<number> {
  let slowestMs = 0;
  for (let n = 0; n < NEW_CLIENTS && slowestMs < PATIENCE_MS; n++) {
    slowestMs = Math.max(slowestMs, await timeUntilServed(port, request));
  }
  return slowestMs / 1000;
}

async function timeUntilServed(port: number, request: string): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const passedMs = performance.now() - startedAt;
    if (passedMs >= PATIENCE_MS) return passedMs;
    const patienceMs = PATIENCE_MS - passedMs;
    const time = await timeAnswer(port, request, { patienceMs, from: NEW_CLIENT_ADDRESS });
    if (time !== undefined) return performance.now() - startedAt;
  }
}
