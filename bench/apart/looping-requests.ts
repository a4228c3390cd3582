/**
 * `looping-requests.ts <LoopingRequestsOptions as JSON>`: each connection sends request after request, the next when
 * the one before is answered. Those that are cut come back. Tells its parent what was answered, until it is killed.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { clientAddress, tellParent } from '../attacks/attacker.ts';
import { LeanConnection } from '../hosting/lean-connection.ts';

export interface LoopingRequestsOptions {
  readonly port: number;
  readonly connections: number;
  /** From so many client addresses; without it from that of honest clients. */
  readonly addresses?: number;
  /** As they go over the wire, sent in turn. RANDOM in them becomes 32 digits and letters, each time others. */
  readonly requests: readonly string[];
  /** Of all connections together; without it each sends as soon as it can. */
  readonly perSecond?: number;
}

export interface LoopingRequests {
  /** Answers by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** So often a connection was refused or cut. */
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
  // Connections with a pace do not all send at the same moment.
  await delay((n / connections) * pauseMs);
  for (;;) {
    try {
      using connection = await LeanConnection.open(options.port, clientAddress(n, options.addresses));
      for (;;) await ask(connection);
    } catch {
      // Being cut happens to attackers.
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
