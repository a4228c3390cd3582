/**
 * Answers input that the HTTP parser itself rejects. A malformed head makes no request, so we answer on its socket. The reader of a
 * malformed body gets the fault (`broken-bodies.ts`). If the connection has earlier, good requests that are not answered yet, their answers
 * go out, and then the connection ends without another answer.
 */
import { maxHeaderSize, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { breakBody } from './broken-bodies.ts';
import { endConnection } from './linger.ts';
import { NewestAnswers } from './newest-answers.ts';

/**
 * The status that says why the parser rejects a request: 400 malformed, 405 a tunnel, 408 too slow, 413 extensions of chunks too large, 414
 * target too long, 431 header fields too large.
 */
export type MalformedStatus = 400 | 405 | 408 | 413 | 414 | 431;

export interface RawAnswer {
  /** Header fields, including Content-Length. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/**
 * Where a fault is whose cause is known: in `target`, a character that must be percent-encoded there, such as an umlaut; in `field`, a carriage
 * return in the value of a header field.
 */
export type FaultyPart = 'target' | 'field';

type AnswerFor = (status: MalformedStatus, part: FaultyPart | undefined) => RawAnswer;

const PARTS: Readonly<Record<string, FaultyPart>> = { HPE_INVALID_URL: 'target', HPE_LF_EXPECTED: 'field' };

/**
 * Answers malformed requests. Call it when the server has all its listeners. It also answers CONNECT with 405, because Node would close the
 * connection without an answer.
 */
export function refuseMalformed(server: Server, answerFor: AnswerFor): void {
  const format = (status: MalformedStatus, part?: FaultyPart) =>
    formatAnswer(status, answerFor(status, part));
  const newest = NewestAnswers.of(server);
  /** The sockets that were refused already. The parser also reports the bytes after a fault, but a socket gets only one answer. */
  const refused = new WeakSet<Duplex>();

  server.on('clientError', (error: ParserError, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const answer = newest.on(socket);
    const isInBody = answer !== undefined && !answer.req.complete;
    if (answer === undefined || answer.closed) {
      endConnection(socket, isInBody ? '' : format(statusOf(error), PARTS[error.code ?? '']));
      return;
    }
    answer.once('close', () => endConnection(socket));
    // The body's reader reports the fault in the answer to its request.
    if (isInBody) breakBody(answer.req, error);
  });
  server.on('connect', (_request, socket) => {
    // Node has removed its own listeners from the socket. Without a listener for errors, a reset ends the process.
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
  // For the parser, the target is a part of the header fields. Answer 414 if the target takes most of the room for both.
  const line = rawPacket?.toString('latin1').split('\n', 1)[0] ?? '';
  return /^[A-Z]+ /.test(line) && line.length > maxHeaderSize / 2 ? 414 : 431;
}

function formatAnswer(status: MalformedStatus, { fields, body }: RawAnswer): string {
  const all = { ...fields, Connection: 'close', Date: new Date().toUTCString() };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
