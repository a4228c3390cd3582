/** Raw HTTP over a socket: sends exactly these bytes, and returns the answer byte for byte. */
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Status line and header lines. `*` replaces the value of Date. */
  readonly head: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Everything after the head, until the connection ended. */
  readonly body: Buffer;
}

/** Sends the bytes, and reads until the server ends the connection in any way. */
export async function exchange(port: number, request: string | Buffer): Promise<RawAnswer> {
  return parseAnswer(await rawExchange(port, request));
}

/** Calls `onBegun` when the first bytes of the answer are here. */
export async function rawExchange(
  port: number,
  request: string | Buffer,
  onBegun: () => void = () => {},
): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  socket.once('data', onBegun);
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.on('close', () => resolve());
  socket.write(request);
  await promise;
  return Buffer.concat(chunks);
}

export function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) throw new Error(`no whole head in ${JSON.stringify(bytes.toString())}`);
  const head = bytes.subarray(0, end).toString('latin1');
  const [statusLine = '', ...lines] = head.split('\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    head: head.replace(/^Date: .*$/m, 'Date: *').replaceAll('\r\n', '\n'),
    headers: Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    ),
    body: bytes.subarray(end + 4),
  };
}
