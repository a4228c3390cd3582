/**
 * Lingering close, so that no client loses its answer. A client may still be sending when we answer. If we close the socket then, the
 * operating system resets the connection, and the reset destroys the answer (RFC 9112, section 9.6). So we send the answer at once, then
 * read and discard the rest of the request, up to a time and a size.
 *
 *   reading on --request ends-->                     the answer ends; Node keeps or closes the connection as its headers say
 *   reading on --too long, too much or malformed-->  our end of the connection closes; after CLOSE_MS we cut the connection
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { brokenBody } from './broken-bodies.ts';

interface LingerLimits {
  readonly maxMs: number;
  readonly maxBytes: number;
}

const LIMITS: LingerLimits = { maxMs: 5000, maxBytes: 64 * 1024 * 1024 };
/** The time that the client has to read the answer and to see that we closed our end. */
const CLOSE_MS = 1000;

const lingering = new WeakSet<Duplex>();

/** Returns whether the whole answer of a connection was sent, and we only wait for the rest of its request. */
export function isLingering(socket: Duplex): boolean {
  return lingering.has(socket) && socket.writableLength === 0;
}

/**
 * Sends the whole answer now, and ends it when the request has ended. The caller must have set the header fields. One of them must be
 * Content-Length, by which the client knows that the answer is complete.
 */
export function answerAndLinger(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Buffer = '',
  { maxMs, maxBytes }: LingerLimits = LIMITS,
): void {
  if (request.complete || request.destroyed) {
    response.end(body);
    return;
  }
  // Do not call `end` yet: Node then closes a connection that is not kept alive, even if bytes are still to be read.
  if (body.length > 0 && request.method !== 'HEAD') response.write(body);
  else response.flushHeaders();
  if (brokenBody(request) !== undefined) {
    endConnection(request.socket);
    return;
  }

  let bytes = 0;
  const { socket } = request;
  lingering.add(socket);
  const end = () => {
    clearTimeout(timer);
    lingering.delete(socket);
    response.end();
  };
  const cut = () => {
    clearTimeout(timer);
    // The request reads on until the connection is cut, and may still emit errors.
    request
      .off('data', count)
      .off('error', cut)
      .off('end', end)
      .off('close', end)
      .on('error', () => {});
    endConnection(request.socket);
  };
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) cut();
  };
  const timer = setTimeout(cut, maxMs);
  request.on('data', count).on('error', cut).on('end', end).on('close', end).resume();
}

/** Sends `lastBytes` and closes our end of the connection. If the client does not close its end in CLOSE_MS, we cut the connection. */
export function endConnection(socket: Duplex, lastBytes = ''): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(lastBytes);
  const timer = setTimeout(() => socket.destroy(), CLOSE_MS);
  socket.once('close', () => clearTimeout(timer));
}
