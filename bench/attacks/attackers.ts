/** Starts the three kinds of attackers that are clients of a server. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LoopingHandshakes, LoopingHandshakesOptions } from '../apart/looping-handshakes.ts';
import type { LoopingRequests, LoopingRequestsOptions } from '../apart/looping-requests.ts';
import type { UnreadConnections, UnreadConnectionsOptions } from '../apart/unread-connections.ts';
import { behindClients } from '../hosting/cores.ts';
import { type Attacker, startAttacker } from './start-attacker.ts';

const HANDSHAKES = new URL('../apart/looping-handshakes.ts', import.meta.url);
const LOOPING = new URL('../apart/looping-requests.ts', import.meta.url);
const UNREAD = new URL('../apart/unread-connections.ts', import.meta.url);

export const loopRequests = (options: LoopingRequestsOptions, bind = behindClients) =>
  startAttacker<LoopingRequestsOptions, LoopingRequests>(LOOPING, options, bind);

export const holdConnections = (options: UnreadConnectionsOptions, bind = behindClients) =>
  startAttacker<UnreadConnectionsOptions, UnreadConnections>(UNREAD, options, bind);

export const loopHandshakes = (options: LoopingHandshakesOptions, bind = behindClients) =>
  startAttacker<LoopingHandshakesOptions, LoopingHandshakes>(HANDSHAKES, options, bind);

const LOOK_INTERVAL_MS = 50;

/** Waits until `connections` are open. Waits at most `patienceMs`, because servers may refuse some. */
export async function untilConnected(
  { report }: Attacker<UnreadConnections>,
  connections: number,
  patienceMs: number,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (report().connected < connections && performance.now() < deadline) await delay(LOOK_INTERVAL_MS);
}

/** The number of answers whose status matches. */
export function countAnswers({ answers }: LoopingRequests, statuses = /./): number {
  return Object.entries(answers).reduce((sum, [status, n]) => (statuses.test(status) ? sum + n : sum), 0);
}
