/**
 * `looping-handshakes.ts <LoopingHandshakesOptions as JSON>`: each connection begins a handshake, closes when the server
 * answers, and comes back at once. Reports the answers until it is killed.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';
import { clientAddress, tellParent } from '../attacks/attacker.ts';
import { clientHello } from '../tls/client-hello.ts';

export interface LoopingHandshakesOptions {
  readonly port: number;
  readonly connections: number;
  /** The number of client addresses. Default: only the address of honest clients. */
  readonly addresses?: number;
  /** The rate of all connections together. Default: as many handshakes as possible. */
  readonly perSecond?: number;
  /** Default: each handshake has another random name that does not exist. */
  readonly hostname?: string;
  /** Whether to complete the handshakes, so that the client works as much as the server. Default: the client sends prepared bytes. */
  readonly isWhole?: boolean;
  /** The group of the key exchange. */
  readonly group?: string;
}

export interface LoopingHandshakes {
  /** The number of whole handshakes, and of first messages that the server answered. */
  readonly answered: number;
  readonly alerts: number;
  /** The number of connections that were refused or cut off. */
  readonly cut: number;
}

const COME_BACK_MS = 50;
const ALERT = 21;
const RANDOM_NAME_BYTES = 16;
const PLACEHOLDER = 'x'.repeat(2 * RANDOM_NAME_BYTES);

const options: LoopingHandshakesOptions = JSON.parse(process.argv[2]!);
const { port, hostname, group, perSecond = Number.POSITIVE_INFINITY } = options;
const hello = await clientHello(hostname ?? `${PLACEHOLDER}.example.com`, group);
const nameAt = hello.indexOf(PLACEHOLDER);
let [answered, alerts, cut] = [0, 0, 0];
for (let n = 0; n < options.connections; n++) void comeBack(n);
tellParent<LoopingHandshakes>(() => ({ answered, alerts, cut }));

async function comeBack(n: number): Promise<never> {
  const localAddress = clientAddress(n, options.addresses);
  const startedAt = performance.now();
  for (let turn = 0; ; turn++) {
    const at = startedAt + (1000 * (n + turn * options.connections)) / perSecond;
    if (at > performance.now()) await delay(at - performance.now());
    try {
      await (options.isWhole ? shakeHands(localAddress) : sayHello(localAddress));
    } catch {
      // Servers cut attackers off, so this is no failure of the bench.
      cut++;
      await delay(COME_BACK_MS);
    }
  }
}

async function sayHello(localAddress: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  try {
    await once(socket, 'connect');
    const bytes = Buffer.from(hello);
    if (nameAt >= 0) bytes.write(randomBytes(RANDOM_NAME_BYTES).toString('hex'), nameAt);
    socket.write(bytes);
    const closed = once(socket, 'close').then(() => Promise.reject(new Error('closed')));
    // The socket always closes in the end, so this promise always rejects.
    closed.catch(() => {});
    const [answer] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer];
    if (answer[0] === ALERT) alerts++;
    else answered++;
  } finally {
    // Reset the connection: an orderly close leaves TIME_WAIT states, which would use up the ports of the address.
    socket.resetAndDestroy();
  }
}

async function shakeHands(localAddress: string): Promise<void> {
  const socket = connectSecurely({
    port,
    host: '127.0.0.1',
    ...{ localAddress }, // Node's types of TLS lack `localAddress`.
    servername: hostname!,
    rejectUnauthorized: false,
    ...(group !== undefined && { ecdhCurve: group }),
  });
  await once(socket, 'secureConnect');
  answered++;
  socket.destroy();
}
