/**
 * `slow-clients.ts <port> <host> <path> <connections> <seconds>`: opens the connections evenly over the seconds. Half
 * of them send endless headers, a byte a second. The others read a large file at 64 KiB a second. A client that is done or
 * cut off connects again. Reports the number of connections four times a second, until it is killed.
 */
import { connect, type Socket } from 'node:net';

export interface SlowClients {
  readonly connected: number;
}

const TICK_MS = 1000;
const COME_BACK_MS = 50;

const [port, host, path, ...numbers] = process.argv.slice(2) as [string, string, string, ...string[]];
const [connections, seconds] = numbers.map(Number) as [number, number];
let connected = 0;
for (let n = 0; n < connections; n++) {
  const client = n % 2 === 0 ? sendSlowly : readSlowly;
  setTimeout(() => keepOpen(client), (n / connections) * seconds * 1000);
}
setInterval(() => process.send!({ connected } satisfies SlowClients), 250);
process.once('disconnect', () => process.exit());

/** `client` gets each connection, and returns the function to call every second. */
function keepOpen(client: (socket: Socket) => () => void): void {
  const socket = connect({ port: Number(port), host: '127.0.0.1' });
  let ticks: NodeJS.Timeout | undefined;
  let isConnected = false;
  socket.once('connect', () => {
    isConnected = true;
    connected++;
    ticks = setInterval(client(socket), TICK_MS);
  });
  // Servers cut slow clients off. The close event that follows handles this.
  socket.on('error', () => {});
  socket.once('close', () => {
    if (isConnected) connected--;
    clearInterval(ticks);
    setTimeout(() => keepOpen(client), COME_BACK_MS);
  });
}

function sendSlowly(socket: Socket): () => void {
  socket.resume();
  const headers = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Endless: ${'x'.repeat(1000)}`;
  let at = 0;
  return () => socket.write(headers.charAt(at++));
}

function readSlowly(socket: Socket): () => void {
  // Node reads 64 KiB at once.
  socket.on('data', () => socket.pause());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n`);
  return () => socket.resume();
}
