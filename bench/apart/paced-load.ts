/**
 * `paced-load.ts <port> <host> <path> <requests per second> <seconds>`: sends requests at a steady rate, whether
 * those before were answered or not, so that a server that hesitates does not slow down what it is judged by.
 */
import { LeanConnection, requestFor } from '../hosting/lean-connection.ts';
import { percentile } from '../statistics.ts';

export interface PacedLoad {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const WARM_UP_MS = 1000;

const [port, host, path, rate, seconds] = process.argv.slice(2) as [string, string, string, string, string];
const request = requestFor(host, path);
const idle: LeanConnection[] = [];
const times: number[] = [];
const underWay = new Set<Promise<void>>();
const startedAt = performance.now();
const endsAfterMs = WARM_UP_MS + Number(seconds) * 1000;
let sent = 0;

const pace = setInterval(() => {
  const elapsedMs = performance.now() - startedAt;
  if (elapsedMs > endsAfterMs) return void finish();
  for (; sent < (elapsedMs / 1000) * Number(rate); sent++) send(elapsedMs > WARM_UP_MS);
}, 1);

function send(counts: boolean): void {
  const sending = exchange(counts).finally(() => underWay.delete(sending));
  underWay.add(sending);
}

async function exchange(counts: boolean): Promise<void> {
  // Opening a connection is not counted: what is measured is the answer.
  const connection = idle.pop() ?? (await LeanConnection.open(Number(port)));
  const sentAt = performance.now();
  await connection.get(request);
  if (counts) times.push(performance.now() - sentAt);
  idle.push(connection);
}

async function finish(): Promise<void> {
  clearInterval(pace);
  await Promise.all(underWay);
  for (const connection of idle) connection[Symbol.dispose]();
  const load: PacedLoad = { p50Ms: percentile(times, 50), p99Ms: percentile(times, 99) };
  process.stdout.write(JSON.stringify(load));
}
