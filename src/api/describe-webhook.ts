/** Webhooks as the API shows them (spec D47). */
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Secret } from '../platform/secret.ts';
import type { Endpoint } from '../webhooks/endpoint.ts';
import { shownSecret } from '../webhooks/endpoint-secret.ts';

export function describeEndpoint(endpoint: Endpoint) {
  const { id, url, description, eventTypes, formerUntil, disabledAt, disabledWhy, createdAt } = endpoint;
  return {
    ...{ id, url, description, events: eventTypes, enabled: disabledAt === null },
    disabledAt: disabledAt && isoSeconds(disabledAt),
    disabledReason: disabledWhy,
    formerSecretUntil: formerUntil && isoSeconds(formerUntil),
    createdAt: isoSeconds(createdAt),
  };
}

/** The only answers with a secret. */
export function describeWithSecret(endpoint: Endpoint, master: Secret) {
  return { ...describeEndpoint(endpoint), secret: shownSecret(master, endpoint.id, endpoint.secretVersion) };
}
