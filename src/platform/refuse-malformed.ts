/**
 * Answers what the HTTP parser itself rejects. There is no request then, only a socket, and the socket may
 * still be busy with good requests that came before: their answers go out first and nothing is written into
 * them; the connection then just ends.
 */
import {
  type IncomingMessage,
  maxHeaderSize,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';

/** How long what the client still sends is read and discarded: closed at once, it would lose the answer. */
const LINGER_MS = 1_000;

/** What the parser rejects: malformed, a tunnel, too slow, or one of its parts too large. */
export type MalformedStatus = 400 | 405 | 408 | 413 | 414 | 431;

export interface RawAnswer {
  /** Header fields, the length of the body among them. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Also answers CONNECT, with 405, whose connections Node would close without a word. */
export function refuseMalformed(server: Server, answerFor: (status: MalformedStatus) => RawAnswer): void {
  const format = (status: MalformedStatus) => formatAnswer(status, answerFor(status));
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

  server.on('clientError', (error: ParserError, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const request = newestRequest.get(socket);
    const isInBody = request !== undefined && !request.complete;
    if (!answersUnderWay.get(socket)) {
      end(socket, isInBody ? '' : format(statusOf(error)));
    } else if (isInBody && request.listenerCount('error') > 0) {
      // Whoever reads the body says so, in the answer to its request.
      request.emit('error', error);
    }
  });
  server.on('connect', (_request, socket) => {
    // Node has taken all its listeners off, and without one a reset would end the process.
    socket.on('error', () => {}).resume();
    refused.add(socket);
    end(socket, format(405));
  });
}

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that the parser was at. */
  readonly rawPacket?: Buffer;
}

function statusOf({ code, rawPacket }: ParserError): MalformedStatus {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  if (code !== 'HPE_HEADER_OVERFLOW') return 400;
  // The parser counts the target among the header fields: is it what took the room?
  const line = rawPacket?.toString('latin1').split('\n', 1)[0] ?? '';
  return /^[A-Z]+ /.test(line) && line.length > maxHeaderSize / 2 ? 414 : 431;
}

function formatAnswer(status: MalformedStatus, { fields, body }: RawAnswer): string {
  const all = { ...fields, Connection: 'close', Date: new Date().toUTCString() };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
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
