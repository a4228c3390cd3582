/**
 * The PROXY protocol, versions 1 and 2 (haproxy.org, proxy-protocol.txt). A load balancer that forwards TCP first sends a header with the
 * address of its client. Connections from trusted addresses must begin with the header. Anyone else can forge a header, so we look for it
 * only in connections from trusted addresses.
 */
import type { Server, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { interceptConnections } from './intercept-connections.ts';
import { type ProxyHeader, parseProxyHeader } from './proxy-header.ts';

/** The longest wait for the header. A balancer sends the header at once. */
const HEADER_MS = 3000;
/** The most connections that wait for their header. Each takes a file descriptor. */
const MAX_WAITING = 10_000;

/**
 * From now on, `server` gets a connection from a trusted address only after its header. If the header has the address of the client, that
 * address is the `remoteAddress` of the connection. The server must have all its listeners already.
 */
export function expectProxyHeaders(
  server: Server,
  isTrusted: (address: string | undefined) => boolean,
): void {
  let waiting = 0;
  interceptConnections(server, async (socket, accept) => {
    // A TLSSocket is a connection after its handshake. The header came before the handshake.
    if (socket instanceof TLSSocket || !isTrusted(socket.remoteAddress)) return accept(socket);
    if (waiting >= MAX_WAITING) return socket.destroy();
    waiting++;
    const client = await readHeader(socket);
    waiting--;
    if (client === undefined || socket.destroyed) return socket.destroy();
    if (client.address !== undefined) nameClient(socket, client.address);
    accept(socket);
  });
}

/** Makes this address the `remoteAddress` of the socket. */
export function nameClient(socket: Socket, address: string): void {
  Object.defineProperty(socket, 'remoteAddress', { value: address });
}

/** Returns the address that `nameClient` set, if it was called for the socket. */
export function namedClient(socket: Socket): string | undefined {
  return Object.hasOwn(socket, 'remoteAddress') ? socket.remoteAddress : undefined;
}

/** Takes the header from the socket and leaves all later bytes. Returns undefined if no valid header comes in time. */
function readHeader(socket: Socket): Promise<ProxyHeader | undefined> {
  const { promise, resolve } = Promise.withResolvers<ProxyHeader | undefined>();
  let received: Buffer = Buffer.alloc(0);
  const end = (header?: ProxyHeader) => {
    clearTimeout(timer);
    // Remove the listeners at once: `unshift` makes the socket readable again.
    socket.off('readable', read).off('end', fail).off('close', fail);
    resolve(header);
  };
  const fail = () => end();
  const read = () => {
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return;
    received = Buffer.concat([received, bytes]);
    const header = parseProxyHeader(received);
    if (header === 'incomplete') return;
    if (header === 'malformed') return fail();
    end(header);
    const rest = received.subarray(header.bytes);
    if (rest.length > 0) socket.unshift(rest);
  };
  const timer = setTimeout(fail, HEADER_MS);
  // Do not listen for `data`: the socket then flows, and the next reader misses bytes.
  socket.on('readable', read).on('end', fail).on('close', fail).on('error', fail);
  return promise;
}
