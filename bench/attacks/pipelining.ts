/** Measures pipelined requests whose answers are never read: their cost in memory, and the delay of honest clients. */
import { setTimeout as delay } from 'node:timers/promises';
import { memoryOf } from '../../tools/process-memory.ts';
import type { PacedLoadOptions } from '../apart/paced-load.ts';
import { BENCH_HOSTNAME, registerHostname, startBenchWaypost } from '../bench-waypost.ts';
import type { Figure } from '../figures.ts';
import { MEDIUM_FILE_PATH } from '../hosting/compared-files.ts';
import { LeanConnection, requestFor } from '../hosting/lean-connection.ts';
import { startHosting } from '../hosting/start-hosting.ts';
import { resetPeak } from '../process-usage.ts';
import { apiRequest } from './api-request.ts';
import { identityRequest, pathOfAttacked, RANDOM, REPEATED } from './attacked-files.ts';
import { holdConnections } from './attackers.ts';
import { honestFigures, runBeside, runHonestLoad } from './honest-load.ts';

const CONNECTIONS = 8;
const PIPELINED = 1000;
const SECONDS = 10;
const REQUESTS_PER_SECOND = 200;
/** After this time, memory is measured again. */
const AFTER_MS = 5000;
/** A listing of this many domains has 15 kB. */
const DOMAINS = 50;
const MAX_MEGABYTES = 64 * 1.048576;

export async function* pipelining(objects: string, scale: number): AsyncGenerator<Figure, void, undefined> {
  const honest = requestFor(BENCH_HOSTNAME, MEDIUM_FILE_PATH);
  const attacks = {
    '8 × 1,000 unread for 47 MB, inflated': identityRequest(BENCH_HOSTNAME, pathOfAttacked(REPEATED)),
    '8 × 1,000 unread for 35 MB of gzip': requestFor(BENCH_HOSTNAME, pathOfAttacked(RANDOM)),
  };
  for (const [name, request] of Object.entries(attacks)) {
    await using hosting = await startHosting({ STORAGE_DIR: objects });
    yield* measure(name, { ...hosting, honest, request, hasGoals: true }, scale);
  }
  await using waypost = await startBenchWaypost();
  for (let n = 0; n < Math.ceil(DOMAINS * scale); n++) await registerHostname(waypost, `host-${n}.localhost`);
  const api = {
    pid: waypost.pid,
    port: Number(new URL(waypost.apiUrl).port),
    honest: apiRequest('/api/domains?limit=1', waypost.apiKey),
    request: apiRequest('/api/domains', waypost.apiKey),
    hasGoals: false,
  };
  yield* measure('8 × 1,000 unread of the API', api, scale);
}

interface Attack {
  readonly port: number;
  readonly pid: number;
  readonly honest: string;
  readonly request: string;
  readonly hasGoals: boolean;
}

async function* measure(
  name: string,
  { port, pid, honest, request, hasGoals }: Attack,
  scale: number,
): AsyncGenerator<Figure, void, undefined> {
  // Warm up: compare with the memory of a server that has sent the file before.
  using reader = await LeanConnection.open(port);
  for (let n = 0; n < 2; n++) await reader.get(request);
  const seconds = SECONDS * scale;
  const load: PacedLoadOptions = { port, request: honest, perSecond: REQUESTS_PER_SECOND, seconds };
  const alone = await runHonestLoad({ ...load, seconds: seconds / 2 });
  const idle = (await memoryOf(pid))!.resident;
  await resetPeak(pid);
  const attack = { port, request, times: Math.ceil(PIPELINED * scale), readBytesPerSecond: 0 };
  const { beside } = await runBeside(
    load,
    () => holdConnections({ ...attack, connections: CONNECTIONS, openPerSecond: 1000, addresses: 1 }),
    () => {},
  );
  await delay(AFTER_MS * scale);
  const { peak, resident } = (await memoryOf(pid))!;
  const goal = hasGoals ? { goal: { atMost: MAX_MEGABYTES } } : {};
  yield { name: `${name}: memory above idle`, value: (peak - idle) / 1e6, unit: 'MB', ...goal };
  yield { name: `  ${AFTER_MS / 1000} s after`, value: (resident - idle) / 1e6, unit: 'MB' };
  const goals = hasGoals ? { atMost: 3, atMostMs: 100 } : {};
  yield* honestFigures(name, { alone, beside, percentile: 'p99', ...goals });
}
