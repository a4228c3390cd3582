/**
 * The secrets of endpoints, and their signatures (Standard Webhooks 1.0):
 *
 * ```
 * secret     HMAC-SHA256(WEBHOOK_SECRET, "<endpoint id> <version>"), shown as whsec_<base64>
 * signature  v1,<base64 of HMAC-SHA256(secret, "<event id>.<timestamp>.<body>")>
 * ```
 * The secret and the signature are not stored. After a rotation the former secrets sign too, so the header has several signatures.
 */
import { createHmac } from 'node:crypto';
import type { Secret } from '../../platform/secret.ts';

/** Returns the secret in the form that its owner sees once. */
export function shownSecret(master: Secret, endpointId: string, version: number): string {
  return `whsec_${endpointSecret(master, endpointId, version).toString('base64')}`;
}

export interface SignedMessage {
  readonly endpointId: string;
  readonly eventId: string;
  /** The time when the attempt began, in seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers of an attempt. `versions`: the versions of the secrets that sign, the newest first. */
export function signatureHeaders(
  master: Secret,
  { endpointId, eventId, timestamp, body }: SignedMessage,
  versions: readonly number[],
): Readonly<Record<string, string>> {
  const signed = `${eventId}.${timestamp}.${body}`;
  const signatures = versions.map((version) => {
    const secret = endpointSecret(master, endpointId, version);
    return `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

function endpointSecret(master: Secret, endpointId: string, version: number): Buffer {
  return createHmac('sha256', master.reveal()).update(`${endpointId} ${version}`).digest();
}
