/**
 * `looping-requests.ts <LoopingRequestsOptions as JSON>`: a closed-loop load. Each connection sends its next request
 * when the previous one is answered. A connection that is cut off opens again. Reports the answers until it is killed.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { clientAddress, tellParent } from '../attacks/attacker.ts';
import { LeanConnection } from '../hosting/lean-connection.ts';

export interface LoopingRequestsOptions {
  readonly port: number;
  readonly connections: number;
  /** The number of client addresses. Default: only the address of honest clients. */
  readonly addresses?: number;
  /** Raw HTTP requests. They are sent in turn. Each RANDOM becomes 32 random hex digits. */
  readonly requests: readonly string[];
  /** The rate of all connections together. Default: each connection sends as soon as it can. */
  readonly perSecond?: number;
}

export interface LoopingRequests {
  /** Answers by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** The number of connections that were refused or cut off. */
  readonly cut: number;
}

const COME_BACK_MS = 50;

const options: LoopingRequestsOptions = JSON.parse(process.argv[2]!);
const { requests, connections, perSecond } = options;
const pauseMs = perSecond === undefined ? 0 : (connections / perSecond) * 1000;
const answers: Record<string, number> = {};
let cut = 0;
let next = 0;
for (let n = 0; n < connections; n++) void comeBack(n);
tellParent<LoopingRequests>(() => ({ answers, cut }));

async function comeBack(n: number): Promise<never> {
  // Spread the connections over the interval.
  await delay((n / connections) * pauseMs);
  for (;;) {
    try {
      using connection = await LeanConnection.open(options.port, clientAddress(n, options.addresses));
      for (;;) await ask(connection);
    } catch {
      // Servers cut attackers off, so this is no failure of the bench.
      cut++;
      await delay(COME_BACK_MS);
    }
  }
}

async function ask(connection: LeanConnection): Promise<void> {
  const sentAt = performance.now();
  const request = requests[next++ % requests.length]!;
  const status = await connection.exchange(request.replace('RANDOM', () => randomBytes(16).toString('hex')));
  answers[status] = (answers[status] ?? 0) + 1;
  const waitMs = sentAt + pauseMs - performance.now();
  if (waitMs > 0) await delay(waitMs);
}
