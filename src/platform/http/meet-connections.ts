/** Sees the connections of a server before the server does. */
import type { Server, Socket } from 'node:net';

/**
 * From now on, `meet` gets each connection and decides when the server has it, by `accept`, or that it never does. The last
 * one to meet them is the first to see them. For a server that has all its listeners.
 */
export function meetConnections(
  server: Server,
  meet: (socket: Socket, accept: (socket: Socket) => void) => unknown,
): void {
  const listeners = server.rawListeners('connection');
  const accept = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
  server.removeAllListeners('connection').on('connection', (socket: Socket) => void meet(socket, accept));
}
