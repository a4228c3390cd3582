/**
 * Answers what the HTTP parser itself rejects. There is no request then, only a socket, and the socket may
 * still be busy with good requests that came before: their answers go out first and nothing is written into
 * them; the connection then just ends.
 */
import { type IncomingMessage, maxHeaderSize, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { NewestAnswers } from './newest-answers.ts';

/** How long what the client still sends is read and discarded: closed at once, it would lose the answer. */
const LINGER_MS = 1_000;

/** What the parser rejects: malformed, a tunnel, too slow, or one of its parts too large. */
export type MalformedStatus = 400 | 405 | 408 | 413 | 414 | 431;

export interface RawAnswer {
  /** Header fields, the length of the body among them. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Of requests whose body broke before anyone had begun to read it. */
const brokenBodies = new WeakMap<IncomingMessage, Error>();

/** What the parser found in a body that is not being read yet: whoever begins to read it would wait in vain. */
export function brokenBody(request: IncomingMessage): Error | undefined {
  return brokenBodies.get(request);
}

/**
 * For a server that has all its listeners. Also answers CONNECT, with 405, whose connections Node would close without a
 * word.
 */
export function refuseMalformed(server: Server, answerFor: (status: MalformedStatus) => RawAnswer): void {
  const format = (status: MalformedStatus) => formatAnswer(status, answerFor(status));
  const newest = new NewestAnswers(server);
  /** The parser reports again whatever follows, so a socket is refused once. */
  const refused = new WeakSet<Duplex>();

  server.on('clientError', (error: ParserError, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const answer = newest.of(socket);
    const isInBody = answer !== undefined && !answer.req.complete;
    if (answer === undefined || answer.closed) {
      end(socket, isInBody ? '' : format(statusOf(error)));
      return;
    }
    answer.once('close', () => end(socket, ''));
    // Whoever reads the body says so, in the answer to its request.
    if (!isInBody) return;
    if (answer.req.listenerCount('error') > 0) answer.req.emit('error', error);
    else brokenBodies.set(answer.req, error);
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
