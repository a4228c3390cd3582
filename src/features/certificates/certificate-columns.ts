/**
 * The SET clauses of the statements that change `certificates` and `own_certificates`, and their values. The parameters of the clauses
 * begin at $3, because $1 and $2 are the row and the fence.
 */
import type { Certificate } from './certificate.ts';
import type { SavedOrder } from './issuer.ts';

export const SET_ORDER = 'order_directory = $3, order_url = $4, order_key = $5';

/** Returns the values for SET_ORDER. `order`: undefined if the order has ended. */
export const orderValues = (order: SavedOrder | undefined) => [
  order?.directory ?? null,
  order?.url ?? null,
  order === undefined ? null : JSON.stringify(order.key),
];

/** Stores a certificate, ends its order, and sets the count of failures to 0. */
export const SET_CERTIFICATE = `chain = $3, key = $4, directory = $5, issuer = $6, not_before = $7, not_after = $8, ari_id = $9,
     renew_at = $10, due_at = $10, ari_check_at = $11,
     order_directory = NULL, order_url = NULL, order_key = NULL, failures = 0, last_error = NULL`;

export const certificateValues = (certificate: Certificate, ariCheckAt: Date) => {
  const { chain, key, directory, issuer, notBefore, notAfter, ariId, renewAt } = certificate;
  return [chain, JSON.stringify(key), directory, issuer, notBefore, notAfter, ariId, renewAt, ariCheckAt];
};

/** Stores a renewal time. If the last attempt failed or was put off, the time of the next attempt stays. */
export const SET_RENEWAL_TIME =
  'renew_at = $3, ari_check_at = $4, due_at = CASE WHEN last_error IS NULL THEN $3 ELSE due_at END';
