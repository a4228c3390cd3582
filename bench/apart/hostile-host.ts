/**
 * `hostile-host.ts hints|bytes`: a host on all loopback addresses. The first parameter chooses its answers. Prints its port.
 *
 *   hints    an endless sequence of 103 (Early Hints)
 *   bytes    a file of 500 KiB in chunks of one byte
 */
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

const BYTES = 500 * 1024;

const answers: Readonly<Record<string, (socket: Socket) => void>> = {
  hints(socket) {
    const hints = Buffer.from('HTTP/1.1 103 \r\n\r\n'.repeat(100_000));
    const write = () => {
      while (!socket.destroyed && socket.write(hints));
      socket.once('drain', write);
    };
    write();
  },
  bytes(socket) {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
    socket.end(`${head}${'1\r\n#\r\n'.repeat(BYTES)}0\r\n\r\n`);
  },
};

const answer = answers[process.argv[2] ?? '']!;
const server = createServer((socket) => {
  socket.on('error', () => {}).once('data', () => answer(socket));
}).listen(0, '0.0.0.0', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
