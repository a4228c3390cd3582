/**
 * `unread-connections.ts <UnreadConnectionsOptions as JSON>`: connections that send a given request, and read slowly or not at all. A
 * connection that is cut off opens again. The script reports the number of connections to the parent until it is killed.
 */
import { connect, type Socket } from 'node:net';
import { clientAddress, tellParent } from '../attacks/attacker.ts';

export interface UnreadConnectionsOptions {
  readonly port: number;
  readonly connections: number;
  readonly openPerSecond: number;
  /** The number of client addresses. Default: only the address of honest clients. */
  readonly addresses?: number;
  /** Each connection sends this request at once, `times` times. Without a request, connections stay idle. */
  readonly request?: string;
  readonly times?: number;
  /** Sends the request in pieces at this rate. Default: at once. */
  readonly sendBytesPerSecond?: number;
  /** 0: the connection never reads, so answers fill the buffers of both sockets. Default: the connection reads everything. */
  readonly readBytesPerSecond?: number;
}

export interface UnreadConnections {
  readonly connected: number;
  /** The number of connections that were refused or cut off. */
  readonly cut: number;
}

const COME_BACK_MS = 50;

const options: UnreadConnectionsOptions = JSON.parse(process.argv[2]!);
const { request = '', times = 1, sendBytesPerSecond, readBytesPerSecond } = options;
const sends = Buffer.from(request.repeat(times), 'latin1');
let connected = 0;
let cut = 0;
for (let n = 0; n < options.connections; n++) setTimeout(open, (n / options.openPerSecond) * 1000, n);
tellParent<UnreadConnections>(() => ({ connected, cut }));

function open(n: number): void {
  const localAddress = clientAddress(n, options.addresses);
  const socket = connect({ port: options.port, host: '127.0.0.1', localAddress });
  let ticks: NodeJS.Timeout | undefined;
  let isConnected = false;
  // Pause before the connection is up, or Node reads the first 64 KiB by itself.
  socket.pause();
  socket.once('connect', () => {
    isConnected = true;
    connected++;
    if (sendBytesPerSecond !== undefined) ticks = sendSlowly(socket, sendBytesPerSecond);
    else if (sends.length > 0) socket.write(sends);
    if (readBytesPerSecond === undefined) socket.resume();
    else if (readBytesPerSecond > 0) {
      ticks = setInterval(() => socket.read(Math.min(readBytesPerSecond, socket.readableLength)), 1000);
    }
  });
  // Servers cut attackers off. The close event that follows handles this.
  socket.on('error', () => {});
  socket.once('end', () => socket.destroy());
  socket.once('close', () => {
    if (isConnected) connected--;
    cut++;
    clearInterval(ticks);
    setTimeout(open, COME_BACK_MS, n);
  });
}

function sendSlowly(socket: Socket, bytesPerSecond: number): NodeJS.Timeout {
  let at = 0;
  return setInterval(() => {
    socket.write(sends.subarray(at, at + bytesPerSecond));
    at += bytesPerSecond;
  }, 1000);
}
