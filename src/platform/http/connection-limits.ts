/**
 * Limits the connections of a server, in all and per client. At the limit of all connections, the connection that has been idle longest
 * makes room. At the limit of a client, the longest idle connection of this client makes room. If no connection is idle, the new one is
 * refused. So idle connections keep no client out, and a greedy client hurts only itself.
 */
import type { Socket } from 'node:net';
import { clientNetwork } from './client-address.ts';

export interface ConnectionLimits {
  readonly max: number;
  /** The limit of a client: an IPv4 address, or a /64 of IPv6. */
  readonly perClient: number;
  /** Returns whether an address is one of our own proxies. `perClient` does not apply to proxies. */
  readonly isTrusted: (address: string | undefined) => boolean;
  /** A function that is called for each refused connection. */
  readonly onRefused: (refused: { readonly client: string; readonly limit: 'max' | 'perClient' }) => void;
}

/** Returns the number of an idle connection's newest request, in the order of all requests. Undefined while the connection is in use. */
export type LastUse = (socket: Socket) => number | undefined;

/** The idle connections that a search finds. A search through thousands of connections is slow, so it finds room for many new ones. */
const FOUND_AT_ONCE = 128;

interface Idle {
  readonly socket: Socket;
  readonly use: number;
}

export class LimitedConnections {
  readonly #limits: ConnectionLimits;
  readonly #lastUse: LastUse;
  readonly #all = new Set<Socket>();
  readonly #byClient = new Map<string, Set<Socket>>();
  /** Idle connections, the longest idle last. Some may be closed or in use by now. */
  #longestIdle: Idle[] = [];

  constructor(limits: ConnectionLimits, lastUse: LastUse) {
    this.#limits = limits;
    this.#lastUse = lastUse;
  }

  /** Accepts a new connection, or destroys it. */
  add(socket: Socket): void {
    const { max, perClient, isTrusted, onRefused } = this.#limits;
    const client = clientNetwork(socket.remoteAddress) ?? 'unknown';
    const own = this.#byClient.get(client) ?? new Set();
    const isOverShare = own.size >= perClient && !isTrusted(socket.remoteAddress);
    if (isOverShare && !end(longestIdle(own, this.#lastUse, 1)[0])) {
      onRefused({ client, limit: 'perClient' });
      socket.destroy();
      return;
    }
    if (this.#all.size >= max && !this.#makeRoom()) {
      onRefused({ client, limit: 'max' });
      socket.destroy();
      return;
    }
    this.#all.add(socket);
    this.#byClient.set(client, own.add(socket));
    socket.once('close', () => {
      this.#all.delete(socket);
      own.delete(socket);
      if (own.size === 0 && this.#byClient.get(client) === own) this.#byClient.delete(client);
    });
  }

  #makeRoom(): boolean {
    if (this.#endNextIdle()) return true;
    this.#longestIdle = longestIdle(this.#all, this.#lastUse, FOUND_AT_ONCE).reverse();
    return this.#endNextIdle();
  }

  #endNextIdle(): boolean {
    for (let next = this.#longestIdle.pop(); next !== undefined; next = this.#longestIdle.pop()) {
      if (!next.socket.destroyed && this.#lastUse(next.socket) === next.use) return end(next);
    }
    return false;
  }
}

function end(idle: Idle | undefined): boolean {
  idle?.socket.destroy();
  return idle !== undefined;
}

/** Returns the idle connections that have been idle longest, at most `count`. The first has been idle longest. */
function longestIdle(sockets: Iterable<Socket>, lastUse: LastUse, count: number): Idle[] {
  const idle: Idle[] = [];
  for (const socket of sockets) {
    const use = socket.destroyed ? undefined : lastUse(socket);
    if (use !== undefined) idle.push({ socket, use });
  }
  return idle.sort((a, b) => a.use - b.use).slice(0, count);
}
