/**
 * Ends connections so that no client loses its answer. A client may still be writing when it is answered: a socket that
 * is closed then is reset, and the reset takes the answer along (RFC 9112, section 9.6). So the answer goes out at once,
 * and the rest of the request is read and discarded, for a short time and up to a size.
 *
 *   reading on --the request ends-->                  the answer ends; Node keeps the connection, or closes it as announced
 *   reading on --too long, too much, or malformed-->  our end of the connection closes; a moment later all of it is cut
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { brokenBody } from './broken-bodies.ts';

interface LingerLimits {
  readonly maxMs: number;
  readonly maxBytes: number;
}

const LIMITS: LingerLimits = { maxMs: 5000, maxBytes: 64 * 1024 * 1024 };
/** For the client to read the answer and our end of the connection. */
const CLOSE_MS = 1000;

/**
 * Sends the whole answer now, and ends it when the request has ended. The header fields are set, the length of the body
 * among them: the client takes the answer for complete.
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
  // Not `end`: with it Node closes a connection that is not kept alive, whatever is still to be read.
  if (body.length > 0 && request.method !== 'HEAD') response.write(body);
  else response.flushHeaders();
  if (brokenBody(request) !== undefined) {
    endConnection(request.socket);
    return;
  }

  let bytes = 0;
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const cut = () => {
    clearTimeout(timer);
    // It goes on reading until all is cut.
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

/** Sends `lastBytes`, closes our end of the connection, and cuts it when the client has had a moment to close its own. */
export function endConnection(socket: Duplex, lastBytes = ''): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(lastBytes);
  const timer = setTimeout(() => socket.destroy(), CLOSE_MS);
  socket.once('close', () => clearTimeout(timer));
}
