/**
 * HTTPS for an HTTP server that listens already. A TLS server does the handshakes, and passes its connections to the HTTP server. The
 * limits of the HTTP server count a connection before its handshake.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import { interceptConnections } from './intercept-connections.ts';
import type { OpenConnections } from './open-connections.ts';
import { nameClient, namedClient } from './proxy-protocol.ts';

export function serveSecurely(secure: TlsServer, server: Server, connections: OpenConnections): void {
  interceptConnections(secure, (tcp, accept) => {
    connections.add(tcp);
    if (!tcp.destroyed) accept(tcp);
  });
  secure.on('secureConnection', (socket: TLSSocket) => {
    const tcp = tcpOf(socket);
    const client = namedClient(tcp);
    if (client !== undefined) nameClient(socket, client);
    connections.secure(tcp, socket);
    // As sockets of HTTP. Set it only now: a client that closes a half before the handshake is done has gone.
    socket.allowHalfOpen = true;
    server.emit('connection', socket);
  });
}

/** Returns the TCP connection that carries a TLS connection. Node has no public way to get it. */
export function tcpOf(socket: TLSSocket): Socket {
  return (socket as TLSSocket & { readonly _parent: Socket })._parent;
}
