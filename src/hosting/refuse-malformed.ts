/**
 * Answers what the HTTP parser itself rejects. There is no request then, only a socket, and the socket may
 * still be busy with good requests that came before: their answers go out first and nothing is written into
 * them; the connection then just ends.
 */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { LINGER_MS } from './hosting-options.ts';

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Also answers CONNECT, whose connections Node would close without a word. */
export function refuseMalformed(server: Server): void {
  const answersUnderWay = new WeakMap<Duplex, number>();
  /** The parser reports again whatever follows, so a socket is refused once. */
  const refused = new WeakSet<Duplex>();

  const count = (socket: Duplex, change: 1 | -1) => {
    const underWay = (answersUnderWay.get(socket) ?? 0) + change;
    answersUnderWay.set(socket, underWay);
    if (underWay === 0 && refused.has(socket)) end(socket, '');
  };
  const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  };
  server.on('request', track);
  server.on('checkContinue', track);

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const isBusy = (answersUnderWay.get(socket) ?? 0) > 0;
    if (!isBusy) end(socket, rawAnswer(STATUS_BY_CODE[error.code ?? ''] ?? 400));
  });
  server.on('connect', (_request, socket) => {
    // Node has taken all its listeners off, and without one a reset would end the process.
    socket.on('error', () => {}).resume();
    refused.add(socket);
    end(socket, rawAnswer(405, 'Allow: GET, HEAD\r\n'));
  });
}

function rawAnswer(status: number, fields = ''): string {
  const reason = STATUS_CODES[status] ?? '';
  const body = `${reason}.\n`;
  return (
    `HTTP/1.1 ${status} ${reason}\r\n${fields}Content-Type: text/plain; charset=utf-8\r\n` +
    `Content-Length: ${body.length}\r\nConnection: close\r\nDate: ${new Date().toUTCString()}\r\n\r\n${body}`
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
