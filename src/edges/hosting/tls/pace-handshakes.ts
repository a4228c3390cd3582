/**
 * Bounds how many handshakes a client begins. A handshake takes 0.3 to 0.5 ms of the event loop, so a core makes some 2,000 a second. The
 * client may pay nothing for its handshakes, because it can send prepared bytes. Node accepts one connection in each turn of the event
 * loop, in the order in which they came. So the connections of a client with too many handshakes wait here, and delay no other client.
 */
import type { Server } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { interceptConnections } from '../../../platform/http/intercept-connections.ts';
import { mostEntries } from '../../../platform/most-entries.ts';
import type { OwnerOf } from '../client.ts';
import type { HandshakeCounts } from '../hosting-counts.ts';

/** The interval between handshakes of a client: 200 a second take at most a tenth of the time of the event loop. */
const INTERVAL_MS = 5;
/** The most handshakes that a client begins at once after a pause. They take some 30 ms. */
const AT_ONCE = 100;
/** At most 400 connections of a client wait (2,000 ms ÷ INTERVAL_MS). That is fewer than a client may have open. */
const MAX_WAIT_MS = 2_000;
/** The most clients that are remembered. A forgotten client starts again with AT_ONCE handshakes. */
const MAX_CLIENTS = 10_000;

export interface PaceOptions {
  readonly ownerOf: OwnerOf;
  readonly counts: HandshakeCounts;
}

/** Paces the handshakes of a server that has all its listeners but does not listen yet. Cuts a connection whose wait is too long. */
export function paceHandshakes(server: Server, { ownerOf, counts }: PaceOptions): void {
  /** When the next handshake of each client may begin. */
  const nextAt = new LRUCache<string, number>(mostEntries(MAX_CLIENTS));
  interceptConnections(server, (tcp, begin) => {
    const owner = ownerOf(tcp);
    if (owner === undefined) return begin(tcp);
    const now = performance.now();
    const at = Math.max(nextAt.get(owner) ?? 0, now - AT_ONCE * INTERVAL_MS);
    if (at - now >= MAX_WAIT_MS) {
      counts.unavailable++;
      return tcp.destroy();
    }
    nextAt.set(owner, at + INTERVAL_MS);
    if (at <= now) return begin(tcp);
    const timer = setTimeout(() => tcp.destroyed || begin(tcp), at - now);
    // The client may leave during the wait. An error without a listener ends the process.
    tcp.on('error', () => {}).once('close', () => clearTimeout(timer));
  });
}
