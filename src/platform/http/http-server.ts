/** Starts and closes HTTP servers. A port in use gives a clear error, and closing loses no request. */
import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { errorCode } from '../error-code.ts';
import { ConfigError } from '../process/config-error.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { OpenConnections } from './open-connections.ts';

const RELEASE_INTERVAL_MS = 50;

/** The connections of each server that listens, for `closeServer`. */
const openConnections = new WeakMap<Server, OpenConnections>();

/** Listens, and resolves to the port, which differs from `port` when that is 0. */
export async function listen(
  server: Server,
  { address, port, variable }: { address: string; port: number; variable: string },
  limits?: ConnectionLimits,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  openConnections.set(server, new OpenConnections(server, limits));
  server.once('error', reject);
  server.listen(port, address, resolve);
  try {
    await promise;
  } catch (error) {
    throw new ConfigError(describeListenFailure(error, address, port, variable), { cause: error });
  } finally {
    server.off('error', reject);
  }
  return (server.address() as AddressInfo).port;
}

function describeListenFailure(error: unknown, address: string, port: number, variable: string): string {
  const code = errorCode(error);
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${address} is in use. Stop the program that uses it, or set ${variable} to another port.`;
  }
  if (code === 'EACCES') {
    return `This user may not listen on port ${port}. Set ${variable} to a port above 1023.`;
  }
  return `Cannot listen on ${address}:${port} (${String(code ?? error)}). Check BIND_ADDRESS and ${variable}.`;
}

export interface CloseServerOptions {
  /** How long requests under way may still take. */
  readonly graceMs: number;
  /** How long an idle connection stays open: its client may be about to send a request. */
  readonly idleMs: number;
}

/** Takes no more connections, ends the open ones as `open-connections.ts` says, and cuts the rest after `graceMs`. */
export async function closeServer(server: Server, { graceMs, idleMs }: CloseServerOptions): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // Not the `close` of HTTP servers: it cuts idle connections at once.
  NetServer.prototype.close.call(server, () => resolve());
  const connections = openConnections.get(server);
  connections?.drain();
  connections?.closeIdle(idleMs);
  const release = setInterval(() => connections?.closeIdle(idleMs), RELEASE_INTERVAL_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await promise;
  clearInterval(release);
  clearTimeout(cut);
}
