/**
 * Answers what the HTTP parser itself rejects. There is no request then, only a socket, and the socket may
 * still be busy with good requests that came before: their answers go out first and nothing is written into
 * them; the connection then just ends.
 */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long what the client still sends is read and discarded: closed at once, it would lose the answer. */
const LINGER_MS = 1_000;

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

export interface RawBody {
  readonly contentType: string;
  readonly text: string;
}

/**
 * Also answers CONNECT, whose connections Node would close without a word. `allow`: the methods that it names
 * then. `bodyFor`: the body of an answer with this status. `fields`: header lines of every answer.
 */
export function refuseMalformed(
  server: Server,
  {
    allow,
    bodyFor,
    fields = () => '',
  }: { allow: string; bodyFor: (status: number) => RawBody; fields?: () => string },
): void {
  const rawAnswer = (status: number, more = '') => formatAnswer(status, fields() + more, bodyFor(status));
  const answersUnderWay = new WeakMap<Duplex, number>();
  const newestRequest = new WeakMap<Duplex, IncomingMessage>();
  /** The parser reports again whatever follows, so a socket is refused once. */
  const refused = new WeakSet<Duplex>();

  const count = (socket: Duplex, change: 1 | -1) => {
    const underWay = (answersUnderWay.get(socket) ?? 0) + change;
    answersUnderWay.set(socket, underWay);
    if (underWay === 0 && refused.has(socket)) end(socket, '');
  };
  const track = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    newestRequest.set(socket, request);
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  };
  server.on('request', track);
  server.on('checkContinue', track);

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const request = newestRequest.get(socket);
    const isInBody = request !== undefined && !request.complete;
    if (!answersUnderWay.get(socket)) {
      end(socket, isInBody ? '' : rawAnswer(STATUS_BY_CODE[error.code ?? ''] ?? 400));
    } else if (isInBody && request.listenerCount('error') > 0) {
      // Whoever reads the body says so, in the answer to its request.
      request.emit('error', error);
    }
  });
  server.on('connect', (_request, socket) => {
    // Node has taken all its listeners off, and without one a reset would end the process.
    socket.on('error', () => {}).resume();
    refused.add(socket);
    end(socket, rawAnswer(405, `Allow: ${allow}\r\n`));
  });
}

function formatAnswer(status: number, fields: string, { contentType, text }: RawBody): string {
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fields}Content-Type: ${contentType}\r\n` +
    `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\nDate: ${new Date().toUTCString()}\r\n\r\n${text}`
  );
}

function end(socket: Duplex, lastBytes: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(lastBytes);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
