/**
 * The TLS server. It chooses the certificate by the name that the client sends (SNI). It has no default certificate, so a client that sends
 * no name, or an unknown name, gets an alert. docs/decisions/0023 says why there is no HTTP/2.
 */
import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls';
import { errorCode } from '../../../platform/error-code.ts';
import { tcpOf } from '../../../platform/http/secure-connections.ts';
import { TLS_SETTINGS } from '../../../platform/http/tls-settings.ts';
import type { KeyRing } from '../../../platform/key-ring.ts';
import { parseHost } from '../lookup/parse-host.ts';
import type { KnownCertificates } from './known-certificates.ts';
import { type PaceOptions, paceHandshakes } from './pace-handshakes.ts';
import { type RefuseUnknownNamesOptions, refuseUnknownNames } from './refuse-unknown-names.ts';
import { renewTicketKeys, ticketKeysAt } from './ticket-keys.ts';

/** The time for which a session can be resumed. */
const SESSION_SECONDS = 300;

export interface SecureServerOptions extends PaceOptions, RefuseUnknownNamesOptions {
  readonly certificates: Pick<KnownCertificates, 'find' | 'hasSite'>;
  readonly keys: KeyRing;
  /** A function that is called when we could not tell whether a host has a certificate. */
  readonly onRefused: (hostname: string, error: unknown) => void;
  readonly now: () => number;
}

/** Creates a server that does not listen yet. `listenSecurely` connects it to the HTTP server. */
export function createSecureServer(options: SecureServerOptions): Server {
  const { keys, handshakeTimeoutMs, counts, now } = options;
  /** The connections whose handshakes `findContext` has refused and counted. */
  const refused = new WeakSet<TLSSocket>();
  const server = createServer({
    SNICallback(this: unknown, name, done) {
      // Node calls this function as a method of the connection.
      const socket = this as TLSSocket;
      void findContext(socket, name, options).then((context) => {
        if (context === undefined) refused.add(socket);
        done(null, context);
      });
    },
    ...TLS_SETTINGS,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: handshakeTimeoutMs,
    ticketKeys: ticketKeysAt(keys, now()),
    // All processes have the same context, so that a session of one process resumes at any other.
    sessionIdContext: 'waypost',
    sessionTimeout: SESSION_SECONDS,
    noDelay: true,
  });
  renewTicketKeys(server, keys, now);
  // The pace is added last, so that it sees connections first.
  refuseUnknownNames(server, options);
  paceHandshakes(server, options);
  server.on('secureConnection', (socket) => {
    counts[socket.isSessionReused() ? 'resumed' : 'full']++;
  });
  server.on('tlsClientError', (error, socket) => {
    // Node does not close a connection whose handshake takes too long.
    socket.destroy();
    if (refused.has(socket)) return;
    const code = String(errorCode(error));
    if (code === 'ERR_TLS_HANDSHAKE_TIMEOUT') counts.timeout++;
    else if (!socket.servername && NO_CERTIFICATE.has(code)) counts.unknownName++;
    else counts.broken++;
  });
  return server;
}

/** The error codes of OpenSSL when it has no certificate to offer, because the client named no host. */
const NO_CERTIFICATE: ReadonlySet<string> = new Set([
  'ERR_SSL_NO_SHARED_CIPHER',
  'ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM',
]);

async function findContext(
  socket: TLSSocket,
  name: string,
  { certificates, counts, onRefused }: SecureServerOptions,
): Promise<SecureContext | undefined> {
  const hostname = parseHost(name);
  try {
    const context = hostname === undefined ? undefined : await certificates.find(hostname, tcpOf(socket));
    if (context === undefined) counts.unknownName++;
    return context;
  } catch (error) {
    onRefused(name, error);
    counts.unavailable++;
    return undefined;
  }
}
