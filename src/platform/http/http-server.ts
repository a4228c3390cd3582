/**
 * Starts and closes HTTP servers. A port in use gives a clear error. A server that closes still answers the requests under way, for a
 * limited time.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { errorCode } from '../error-code.ts';
import { ConfigError } from '../process/config-error.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { OpenConnections } from './open-connections.ts';
import { expectProxyHeaders } from './proxy-protocol.ts';
import { serveSecurely } from './secure-connections.ts';

const RELEASE_INTERVAL_MS = 50;

export interface ListenOptions {
  readonly address: string;
  readonly port: number;
  /** The name of the setting that chose `port`. */
  readonly variable: string;
  /** The name of the setting that chose `address`. The default is BIND_ADDRESS. */
  readonly addressVariable?: string | undefined;
  /** Returns whether connections from an address begin with a header of the PROXY protocol. */
  readonly isProxy?: ((address: string | undefined) => boolean) | undefined;
}

interface Listening {
  readonly connections: OpenConnections;
  /** The server itself, and its TLS server if it has one. */
  readonly ports: NetServer[];
}

/** The HTTP servers that listen. `listenSecurely` and `closeServer` look here. */
const listening = new WeakMap<Server, Listening>();

/** Listens, and resolves to the port. If `port` is 0, the system chooses one. */
export async function listen(
  server: Server,
  options: ListenOptions,
  limits?: ConnectionLimits,
): Promise<number> {
  listening.set(server, { connections: new OpenConnections(server, limits), ports: [server] });
  return openPort(server, options);
}

/** Listens for HTTPS. `server` must listen already. Its limits count the connections of both servers, and `closeServer` closes both. */
export async function listenSecurely(
  secure: TlsServer,
  server: Server,
  options: ListenOptions,
): Promise<number> {
  const { connections, ports } = listening.get(server)!;
  serveSecurely(secure, server, connections);
  const port = await openPort(secure, options);
  ports.push(secure);
  return port;
}

async function openPort(server: NetServer, options: ListenOptions): Promise<number> {
  const { address, port, isProxy } = options;
  if (isProxy !== undefined) expectProxyHeaders(server, isProxy);
  try {
    await once(server.listen(port, address), 'listening');
  } catch (error) {
    throw new ConfigError(describeListenFailure(error, options), { cause: error });
  }
  return (server.address() as AddressInfo).port;
}

function describeListenFailure(
  error: unknown,
  { address, port, variable, addressVariable = 'BIND_ADDRESS' }: ListenOptions,
): string {
  const code = errorCode(error);
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${address} is in use. Stop the program that uses it, or set ${variable} to another port.`;
  }
  if (code === 'EACCES') {
    return `This user may not listen on port ${port}. Set ${variable} to a port above 1023.`;
  }
  return `Cannot listen on ${address}:${port} (${String(code ?? error)}). Check ${addressVariable} and ${variable}.`;
}

export interface CloseServerOptions {
  /** The time that requests under way still have, in ms. */
  readonly graceMs: number;
  /** The time that an idle connection stays open, in ms: its client may be about to send a request. */
  readonly idleMs: number;
}

/** Takes no more connections, ends open connections as `open-connections.ts` says, and cuts those that remain after `graceMs`. */
export async function closeServer(server: Server, { graceMs, idleMs }: CloseServerOptions): Promise<void> {
  const open = listening.get(server);
  if (open === undefined) return;
  const { connections, ports } = open;
  // Do not call `close` of the HTTP server: it cuts idle connections at once.
  const closed = ports.map((port) => once(NetServer.prototype.close.call(port), 'close'));
  connections.drain();
  connections.closeIdle(idleMs);
  const release = setInterval(() => connections.closeIdle(idleMs), RELEASE_INTERVAL_MS);
  const cut = setTimeout(() => connections.cut(), graceMs);
  await Promise.all(closed);
  clearInterval(release);
  clearTimeout(cut);
}
