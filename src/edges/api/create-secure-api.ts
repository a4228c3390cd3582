/** The TLS server in front of the API. It has one certificate for all clients, whether they send a server name or not. */
import { createServer, type Server } from 'node:tls';
import { TLS_SETTINGS } from '../../platform/http/tls-settings.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;

export interface SecureApi {
  /** The server. The caller lets it listen. Handshakes fail until there is a certificate. */
  readonly server: Server;
  /** Uses another certificate for new connections. Chain and key are PEM. */
  readonly use: (certificate: { readonly chain: string; readonly key: string }) => void;
}

export function createSecureApi(): SecureApi {
  const server = createServer({
    ...TLS_SETTINGS,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    noDelay: true,
  });
  // Node does not close a connection whose handshake takes too long.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  // Without `ca`, Node parses all its root certificates. Only the check of client certificates needs them.
  return {
    server,
    use: ({ chain, key }) => server.setSecureContext({ ...TLS_SETTINGS, cert: chain, key, ca: [] }),
  };
}
