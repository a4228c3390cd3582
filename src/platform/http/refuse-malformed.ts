/**
 * Answers input that the HTTP parser itself rejects. If a head is malformed, there is no request, only a socket. The reader of a malformed
 * body gets the fault (`broken-bodies.ts`). If the socket is still busy with earlier, good requests, their answers go out undisturbed, and
 * then the connection just ends.
 */
import { maxHeaderSize, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { breakBody } from './broken-bodies.ts';
import { endConnection } from './linger.ts';
import { NewestAnswers } from './newest-answers.ts';

/** Why the parser rejects a request: malformed, a tunnel, too slow, or one of its parts too large. */
export type MalformedStatus = 400 | 405 | 408 | 413 | 414 | 431;

export interface RawAnswer {
  /** Header fields, including Content-Length. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/**
 * Answers malformed requests. Call it when the server has all its listeners. It also answers CONNECT with 405, because Node would close the
 * connection without an answer.
 */
export function refuseMalformed(server: Server, answerFor: (status: MalformedStatus) => RawAnswer): void {
  const format = (status: MalformedStatus) => formatAnswer(status, answerFor(status));
  const newest = NewestAnswers.of(server);
  /** The parser also reports the bytes that follow, but we refuse a socket only once. */
  const refused = new WeakSet<Duplex>();

  server.on('clientError', (error: ParserError, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const answer = newest.on(socket);
    const isInBody = answer !== undefined && !answer.req.complete;
    if (answer === undefined || answer.closed) {
      endConnection(socket, isInBody ? '' : format(statusOf(error)));
      return;
    }
    answer.once('close', () => endConnection(socket));
    // The body's reader reports the fault in the answer to its request.
    if (isInBody) breakBody(answer.req, error);
  });
  server.on('connect', (_request, socket) => {
    // Node has removed its own listeners from the socket. Without an error listener, a reset would end the process.
    socket.on('error', () => {}).resume();
    refused.add(socket);
    endConnection(socket, format(405));
  });
}

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that the parser was reading. */
  readonly rawPacket?: Buffer;
}

function statusOf({ code, rawPacket }: ParserError): MalformedStatus {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  if (code !== 'HPE_HEADER_OVERFLOW') return 400;
  // The parser counts the target as part of the header fields. Answer 414 if the target took most of the room.
  const line = rawPacket?.toString('latin1').split('\n', 1)[0] ?? '';
  return /^[A-Z]+ /.test(line) && line.length > maxHeaderSize / 2 ? 414 : 431;
}

function formatAnswer(status: MalformedStatus, { fields, body }: RawAnswer): string {
  const all = { ...fields, Connection: 'close', Date: new Date().toUTCString() };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
