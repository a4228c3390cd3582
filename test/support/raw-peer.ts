/** A TCP server on loopback that answers requests with any bytes. A test chooses the answer, and sees whether all connections are closed. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, vi } from 'vitest';
import { SOON } from './soon.ts';

export interface RawPeer extends AsyncDisposable {
  readonly port: number;
  /** For example http://127.0.0.1:1234. */
  readonly url: string;
  /** Called once with each connection, when its request begins to come. By default, nothing is answered. */
  answer: (socket: Socket, request: string) => void;
  readonly allClosed: () => Promise<void>;
}

export async function startRawPeer(): Promise<RawPeer> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    socket.once('data', (head) => peer.answer(socket, String(head)));
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const peer: RawPeer = {
    port,
    url: `http://127.0.0.1:${port}`,
    answer: () => {},
    allClosed: () => vi.waitFor(() => expect(open.size).toBe(0), SOON),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return peer;
}

/** Sends text again and again, until the other end is gone. */
export function endlessly(socket: Socket, text: string): void {
  const send = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', send);
  send();
}
