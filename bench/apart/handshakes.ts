/**
 * `handshakes.ts <HandshakesOptions as JSON>`: opens TLS connections, 16 at a time, with one request each, and prints the seconds. Throws
 * if a request fails, if a handshake that should be full is resumed, or the other way round.
 */
import { once } from 'node:events';
import { type ConnectionOptions, connect } from 'node:tls';

export interface HandshakesOptions {
  readonly port: number;
  readonly hostname: string;
  readonly path: string;
  /** PEM. */
  readonly ca: string;
  readonly count: number;
  readonly isResumed: boolean;
}

export interface Handshakes {
  readonly seconds: number;
}

const AT_ONCE = 16;

const options: HandshakesOptions = JSON.parse(process.argv[2]!);
const { port, hostname, path, ca, count, isResumed } = options;
const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n`;
/** All servers use the same key exchange. Newer servers also have post-quantum groups, which take more time. */
const GROUP = 'X25519';
const client: ConnectionOptions = { port, host: '127.0.0.1', servername: hostname, ca, ecdhCurve: GROUP };

const ticket = isResumed ? (await shakeHands(client)).ticket : undefined;
const resuming = ticket === undefined ? client : { ...client, session: ticket };
const startedAt = performance.now();
let left = count;
await Promise.all(Array.from({ length: AT_ONCE }, work));
const handshakes: Handshakes = { seconds: (performance.now() - startedAt) / 1000 };
process.stdout.write(JSON.stringify(handshakes));

async function work(): Promise<void> {
  while (left > 0) {
    left--;
    const { wasResumed } = await shakeHands(resuming);
    if (wasResumed !== isResumed) throw new Error(`a handshake was ${wasResumed ? '' : 'not '}resumed`);
  }
}

async function shakeHands(client: ConnectionOptions) {
  const socket = connect(client);
  let ticket: Buffer | undefined;
  socket.on('session', (session: Buffer) => {
    ticket = session;
  });
  await once(socket, 'secureConnect');
  const wasResumed = socket.isSessionReused();
  socket.write(request);
  const received = Buffer.concat(await socket.toArray());
  if (!received.toString('latin1', 0, 12).endsWith(' 200')) throw new Error('the answer is not 200');
  return { ticket, wasResumed };
}
