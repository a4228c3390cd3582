/** Starting and ending HTTP servers: a port that is taken is a clear error, and an end loses no request. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from './config-error.ts';

/** Listens, and resolves to the port (which differs from `port` when that is 0). */
export async function listen(
  server: Server,
  { address, port, variable }: { address: string; port: number; variable: string },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
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
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${address} is in use. Stop what listens there, or set ${variable} to another port.`;
  }
  if (code === 'EACCES') {
    return `This user may not listen on port ${port}. Set ${variable} to a port above 1023.`;
  }
  return `Cannot listen on ${address}:${port} (${String(code ?? error)}). Check BIND_ADDRESS and ${variable}.`;
}

/** Takes no more requests, lets those under way finish for `graceMs`, then cuts what is left. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  // A connection that becomes idle after this would be kept for its client's next request.
  const release = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await promise;
  clearInterval(release);
  clearTimeout(cut);
}
