/** Makes a server listen with the limits of its process. The scope closes it without losing a request. */
import type { Server } from 'node:http';
import { addressRanges } from '../platform/http/client-address.ts';
import type { ConnectionLimits } from '../platform/http/connection-limits.ts';
import { closeServer, listen } from '../platform/http/http-server.ts';
import { sayRarely } from '../platform/say-rarely.ts';
import type { ProcessOptions } from './open-process.ts';

export interface OpenServerOptions {
  readonly port: number;
  /** The setting of `port`. */
  readonly variable: string;
  readonly graceMs: number;
  readonly maxConnections: number;
  readonly connectionsPerClient: number;
}

/** Resolves to the port of the server. Throws ConfigError. */
export async function openServer(
  server: Server,
  { config, scope, log }: ProcessOptions,
  { port, variable, graceMs, maxConnections, connectionsPerClient }: OpenServerOptions,
): Promise<number> {
  const limits: ConnectionLimits = {
    max: maxConnections,
    perClient: connectionsPerClient,
    isTrusted: addressRanges(config.TRUSTED_PROXY_RANGES),
    onRefused: sayRarely(Date.now, (refused: object, { unsaid }) =>
      log.warn({ ...refused, unsaid }, 'too many connections: one was refused'),
    ),
  };
  const listening = await listen(server, { address: config.BIND_ADDRESS, port, variable }, limits);
  scope.defer(() => closeServer(server, { graceMs, idleMs: config.IDLE_GRACE_MS }));
  log.info({ address: config.BIND_ADDRESS, port: listening }, 'listening');
  return listening;
}
