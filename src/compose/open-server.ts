/** Makes a server listen with the limits of its process. The scope closes it without losing a request. */
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import { addressRanges } from '../platform/http/client-address.ts';
import type { ConnectionLimits } from '../platform/http/connection-limits.ts';
import { closeServer, listen, listenSecurely } from '../platform/http/http-server.ts';
import { mostOpenFiles } from '../platform/process/most-open-files.ts';
import { sayRarely } from '../platform/say-rarely.ts';
import type { ProcessOptions } from './open-process.ts';

/**
 * The largest part of all open files that may be connections of a server. The rest is for objects and the store. Without files, nobody can
 * connect, and the idle connections that should make room stay.
 */
const CONNECTIONS_PART = 0.75;

export interface OpenServerOptions {
  /** Whether connections from TRUSTED_PROXY_RANGES begin with a header of the PROXY protocol. */
  readonly hasProxyHeaders?: boolean;
  readonly secure?: SecurePort | undefined;
  /** The address that the server binds to. The default is BIND_ADDRESS. */
  readonly address?: string;
  readonly port: number;
  /** The names of the settings for `port` and `address`. */
  readonly variable: string;
  readonly addressVariable?: string;
  readonly graceMs: number;
  readonly maxConnections: number;
  readonly connectionsPerClient: number;
}

/** The HTTPS port beside the HTTP port. */
interface SecurePort extends Pick<OpenServerOptions, 'port' | 'variable'> {
  readonly server: TlsServer;
}

/** The ports that the server listens on. `securePort`: only with `secure`. */
export interface OpenPorts {
  readonly port: number;
  readonly securePort: number | undefined;
}

/** Makes the server listen. Throws ConfigError. */
export async function openServer(
  server: Server,
  { config, scope, log }: ProcessOptions,
  { port, variable, graceMs, maxConnections, connectionsPerClient, ...given }: OpenServerOptions,
): Promise<OpenPorts> {
  const { hasProxyHeaders = false, secure, address = config.BIND_ADDRESS, addressVariable } = given;
  const { IDLE_GRACE_MS: idleMs } = config;
  const isTrusted = addressRanges(config.TRUSTED_PROXY_RANGES);
  const openFiles = mostOpenFiles();
  const max = Math.min(maxConnections, Math.floor(openFiles * CONNECTIONS_PART));
  if (max < maxConnections) {
    const message = 'the limit of open files (ulimit -n) is too low for all connections: fewer are accepted';
    log.warn({ maxConnections, openFiles, accepted: max }, message);
  }
  const limits: ConnectionLimits = {
    max,
    perClient: connectionsPerClient,
    isTrusted,
    onRefused: sayRarely((refused: object, { unsaid }) =>
      log.warn({ ...refused, unsaid }, 'too many connections: one was refused'),
    ),
  };
  const isProxy = hasProxyHeaders ? isTrusted : undefined;
  const place = { address, addressVariable, isProxy };
  const listening = await listen(server, { ...place, port, variable }, limits);
  scope.defer(() => closeServer(server, { graceMs, idleMs }));
  log.info({ address, port: listening }, 'listening');
  if (secure === undefined) return { port: listening, securePort: undefined };
  const { server: secureServer, ...where } = secure;
  const securePort = await listenSecurely(secureServer, server, { ...place, ...where });
  log.info({ address, port: securePort }, 'listening for HTTPS');
  return { port: listening, securePort };
}
