/**
 * What happens to the rest of a request that was answered before it was read: it is read on and discarded, for
 * a short time and up to a size. A connection that was closed at once would take the answer with it, for the
 * client is still writing (RFC 9112, section 9.6); one that was never closed could go on for ever.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const MAX_DISCARD_MS = 5000;
const MAX_DISCARD_BYTES = 64 * 1024 * 1024;
const CHECK_MS = 50;
/** For the client to read the answer and our end of the connection. */
const LINGER_MS = 1000;

export function discardRest(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete || request.destroyed) return;
    const { socket } = request;
    const deadline = Date.now() + MAX_DISCARD_MS;
    const maxRead = socket.bytesRead + MAX_DISCARD_BYTES;
    request.resume();
    const timer = setInterval(() => {
      const isOver = request.complete || socket.destroyed;
      if (!isOver && Date.now() < deadline && socket.bytesRead < maxRead) return;
      clearInterval(timer);
      if (isOver) return;
      socket.end();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    }, CHECK_MS);
    timer.unref();
  });
}
