/**
 * How many connections a server takes, in all and from one client. When there are too many, the one that has been idle
 * for the longest time makes room: in all, of everyone's; of one client, of its own. Where none is idle, the new one is
 * refused. So idle connections keep nobody out, and a client that wants more than its share pays for it alone.
 */
import type { Socket } from 'node:net';
import { clientNetwork } from './client-address.ts';

export interface ConnectionLimits {
  readonly max: number;
  /** Of one IPv4 address, or one /64 of IPv6. */
  readonly perClient: number;
  /** For whom `perClient` does not hold: our own proxies. */
  readonly isTrusted: (address: string | undefined) => boolean;
  /** Told of each connection that was refused. */
  readonly onRefused: (refused: { readonly client: string; readonly limit: 'max' | 'perClient' }) => void;
}

/** The place of an idle connection's last request, or its beginning, in the order of all; undefined for one in use. */
export type LastUse = (socket: Socket) => number | undefined;

/** A search of thousands of connections finds so many that make room, and serves as many new ones. */
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
  /** The longest idle is last. Some may be gone by now, or in use. */
  #longestIdle: Idle[] = [];

  constructor(limits: ConnectionLimits, lastUse: LastUse) {
    this.#limits = limits;
    this.#lastUse = lastUse;
  }

  /** Lets a new connection in, or destroys it. */
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

/** The longest idle first. */
function longestIdle(sockets: Iterable<Socket>, lastUse: LastUse, count: number): Idle[] {
  const idle: Idle[] = [];
  for (const socket of sockets) {
    const use = socket.destroyed ? undefined : lastUse(socket);
    if (use !== undefined) idle.push({ socket, use });
  }
  return idle.sort((a, b) => a.use - b.use).slice(0, count);
}
