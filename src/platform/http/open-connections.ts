/**
 * Tracks the connections of an HTTP server, so that they can be closed without losing a request (draining).
 *
 * Node's own `server.close()` cuts idle connections at once, and a client that sends its next request at that moment sees a reset. Here a
 * connection ends at the first of these events:
 *
 *   its next answer is sent      with `Connection: close`, so the client sends further requests elsewhere
 *   it has been idle for long    since its last byte, its last answer, or the beginning of draining, whichever was last
 *   the grace period is over     even in the middle of a request; `closeServer` cuts the connection
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ConnectionLimits, LimitedConnections } from './connection-limits.ts';
import { isLingering } from './linger.ts';
import { NewestAnswers } from './newest-answers.ts';

/**
 * The time until the answer for a client that has closed its half of the connection. Such a client may read on, as `nc -N` does, but one
 * that has vanished looks the same, and holds a place.
 */
const HALF_CLOSED_MS = 2000;

interface Connection {
  /** The place of the connection's newest request in the order of all requests and new connections. Without a request, its own place. */
  usedNth: number;
  idleSince?: number;
  /** The number of bytes that had arrived at `idleSince`. */
  bytesRead?: number;
}

export class OpenConnections {
  readonly #open = new Map<Socket, Connection>();
  readonly #limited: LimitedConnections | undefined;
  readonly #newest: NewestAnswers;
  /** Maps each TCP connection with TLS to the socket on which it speaks HTTP. */
  readonly #secured = new WeakMap<Socket, Socket>();
  #isDraining = false;
  #uses = 0;

  /** The server must have all its listeners, and not listen yet. Without limits, the server takes every connection. */
  constructor(server: Server, limits?: ConnectionLimits) {
    this.#limited = limits && new LimitedConnections(limits, (socket) => this.#lastUse(socket));
    // Otherwise Node drops the answers under way when a client closes its half. The property has no types and no documentation; a test of
    // http-server.ts sees whether it works.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on('connection', (socket: Socket) => {
      if (!this.#open.has(socket)) this.add(socket);
      socket.once('end', () => this.#halfClosed(socket));
    });
    this.#newest = NewestAnswers.of(server);
    this.#newest.whenOneBegins((socket, response) => this.#begin(socket as Socket, response));
  }

  /** Accepts a new connection, or destroys it. For a connection with TLS, call this before the handshake. */
  add(socket: Socket): void {
    this.#track(socket, { usedNth: ++this.#uses });
    this.#limited?.add(socket);
  }

  /** From now on, the connection `tcp` speaks HTTP on the socket `secured`. */
  secure(tcp: Socket, secured: Socket): void {
    this.#track(secured, this.#open.get(tcp) ?? { usedNth: ++this.#uses });
    this.#open.delete(tcp);
    this.#secured.set(tcp, secured);
  }

  /** Makes the next answer on each connection its last. */
  drain(): void {
    this.#isDraining = true;
    for (const socket of this.#open.keys()) announceEnd(this.#newest.on(socket));
  }

  /** Ends connections that have been idle for `idleMs`. Time before the first call does not count, so call this repeatedly. */
  closeIdle(idleMs: number): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      if (this.#isAnswering(socket)) {
        delete connection.idleSince;
        continue;
      }
      if (connection.idleSince === undefined || connection.bytesRead !== socket.bytesRead) {
        connection.idleSince = now;
        connection.bytesRead = socket.bytesRead;
      }
      if (now - connection.idleSince >= idleMs) socket.destroy();
    }
  }

  cut(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #track(socket: Socket, connection: Connection): void {
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
  }

  #lastUse(tcp: Socket): number | undefined {
    const socket = this.#secured.get(tcp) ?? tcp;
    const connection = this.#open.get(socket);
    const isBusy = this.#isAnswering(socket) && !isLingering(socket);
    return connection === undefined || isBusy ? undefined : connection.usedNth;
  }

  #begin(socket: Socket, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    if (this.#isDraining) {
      // When requests are pipelined, only the last answer may end the connection.
      const former = this.#newest.on(socket);
      if (former?.headersSent === false) former.setHeader('Connection', 'keep-alive');
      announceEnd(response);
    }
    connection.usedNth = ++this.#uses;
  }

  #halfClosed(socket: Socket): void {
    let { bytesWritten } = socket;
    const timer = setInterval(() => {
      if (this.#newest.on(socket)?.headersSent === true) clearInterval(timer);
      // Answers before the newest one may still be on their way.
      else if (socket.writableLength === 0 && socket.bytesWritten === bytesWritten) socket.destroy();
      ({ bytesWritten } = socket);
    }, HALF_CLOSED_MS);
    socket.once('close', () => clearInterval(timer));
  }

  #isAnswering(socket: Socket): boolean {
    return socket.writableLength > 0 || this.#newest.isAnswering(socket);
  }
}

function announceEnd(response: ServerResponse | undefined): void {
  if (response?.headersSent === false) response.setHeader('Connection', 'close');
}
