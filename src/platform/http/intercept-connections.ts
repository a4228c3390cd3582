/** Intercepts the connections of a server. */
import type { Server, Socket } from 'node:net';

/**
 * From now on, `intercept` gets each connection before the server. `intercept` passes the connection to the server by `accept`, or keeps it
 * from the server. After several calls for a server, the `intercept` of the last call sees connections first. The server must have all its
 * listeners already.
 */
export function interceptConnections(
  server: Server,
  intercept: (socket: Socket, accept: (socket: Socket) => void) => unknown,
): void {
  const listeners = server.rawListeners('connection');
  const accept = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
  server
    .removeAllListeners('connection')
    .on('connection', (socket: Socket) => void intercept(socket, accept));
}
