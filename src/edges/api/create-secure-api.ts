/** HTTPS of the API itself: its TLS server, the guard of its plain port, and the challenge of its certificate authority. */
import { createServer, type Server } from 'node:tls';
import type { RequestHandler } from 'express';
import { sendText } from '../../core/web/envelope.ts';
import { redirect } from '../../core/web/redirect.ts';
import { challengeKey, type HostChallenge, hostChallengeSchema } from '../../features/sites/certificate.ts';
import { recentResult } from '../../platform/concurrency/recent-result.ts';
import { TLS_SETTINGS } from '../../platform/http/tls-settings.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type ObjectStorage, readObject } from '../../platform/storage/object-storage.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;

export interface SecureApi {
  /** The server. The caller lets it listen. Handshakes fail until there is a certificate. */
  readonly server: Server;
  /** Uses another certificate for new connections. Chain and key are PEM. */
  readonly use: (certificate: { readonly chain: string; readonly key: string }) => void;
}

/** Creates the TLS server in front of the API. It has one certificate for all clients, whether they send a server name or not. */
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

/** A year, in seconds (RFC 6797). The header is for our own hostname only, because the names below it may belong to others. */
const HSTS = 'max-age=31536000';

/**
 * Guards the plain port of an API that has HTTPS of its own. Reads without a key are redirected to HTTPS, and all other requests are
 * refused. Behind trusted proxies, `X-Forwarded-Proto` says how the client came. `origin`: the origin of the API on HTTPS.
 */
export function httpsOnly(origin: string): RequestHandler {
  return (request, response, next) => {
    if (request.secure) {
      response.set('Strict-Transport-Security', HSTS);
      return next();
    }
    const hasKey = 'x-api-key' in request.headers || 'authorization' in request.headers;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    // A target in absolute form, which proxies send, must not become part of our hostname.
    const path = request.originalUrl.startsWith('/') ? request.originalUrl : '/';
    if (isRead && !hasKey) return redirect(response, `${origin}${path}`, 308);
    const shown = hasKey ? ' The network has seen this key: replace it.' : '';
    throw new Refusal('FORBIDDEN', `This API is reached over HTTPS only, at ${origin}.${shown}`);
  };
}

const PREFIX = '/.well-known/acme-challenge/';
/**
 * The store gets at most one read in this time, however many requests strangers send. Jobs wait longer than this before they ask the
 * authority.
 */
const FRESH_MS = 250;

/** Answers the challenge of a certificate authority for the API's own hostname (http-01, RFC 8555, section 8.3). */
export function ownChallenge(storage: Pick<ObjectStorage, 'get'>, hostname: string): RequestHandler {
  const read = recentResult(() => readChallenge(storage, hostname), { forMs: FRESH_MS });
  return async (request, response, next) => {
    if (!request.path.startsWith(PREFIX)) return next();
    const challenge = await read();
    if (challenge?.token !== request.path.slice(PREFIX.length)) return next();
    sendText(response, 'text/plain; charset=utf-8', challenge.keyAuthorization);
  };
}

async function readChallenge(
  storage: Pick<ObjectStorage, 'get'>,
  hostname: string,
): Promise<HostChallenge | undefined> {
  const bytes = await readObject(storage, challengeKey(hostname));
  return bytes && hostChallengeSchema.parse(JSON.parse(bytes.toString()));
}
