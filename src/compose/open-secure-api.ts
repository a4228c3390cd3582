/** Opens HTTPS for the API itself, with a certificate for its own hostname (docs/decisions/0080). */
import { createSecureApi, httpsOnly, ownChallenge } from '../edges/api/create-secure-api.ts';
import { watchOwnCertificate } from '../features/certificates/own/watch-own-certificate.ts';
import { repeat } from '../platform/concurrency/repeat.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import { keyRingOf } from './key-ring-of.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

/** The time between two looks for a certificate. Handshakes fail until one is found. */
const LOOK_MS = 2000;

/**
 * Returns the HTTPS port, and the guards: handlers before the routes of both ports. Without API_TLS_PORT, there is no port and no guard.
 * Throws ConfigError.
 */
export function openSecureApi({ config, database, storage, log, scope }: DatabaseProcessOptions) {
  const { API_TLS_PORT: port, API_HOSTNAME: hostname, DASHBOARD_ORIGIN } = config;
  if (port === undefined) return { secure: undefined, guards: [] };
  const keys = keyRingOf(config);
  if (hostname === undefined || keys === undefined) {
    throw new ConfigError(
      'With API_TLS_PORT set, API_HOSTNAME and CERTIFICATE_KEYS must be set too, as for the jobs.',
    );
  }
  const { server, use } = createSecureApi();
  const look = watchOwnCertificate({ database, keys, hostname, log, use });
  void look();
  const looking = repeat(look, LOOK_MS);
  scope.defer(() => looking.stop());
  const dashboard = URL.parse(DASHBOARD_ORIGIN ?? '');
  // Plain HTTP redirects to DASHBOARD_ORIGIN, which may name a port. An origin without HTTPS does not count: it leads back to plain HTTP.
  const isOwn = dashboard?.hostname === hostname && dashboard.protocol === 'https:';
  const origin = isOwn ? dashboard.origin : `https://${hostname}`;
  return {
    secure: { server, port, variable: 'API_TLS_PORT' },
    guards: [ownChallenge(storage, hostname), httpsOnly(origin)],
  };
}
