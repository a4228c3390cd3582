/** The hostname of a domain is served for another account. */
import { PENDING_MS } from '../../domains/delete-domain.ts';
import { IS_SERVED } from '../../domains/served-domain-store.ts';
import type { Cause } from '../cause.ts';

/** Selects the holder of the hostname of a domain `d`. */
export const HOLDER = `SELECT FROM domains h WHERE h.hostname = d.hostname AND h.${IS_SERVED} AND h.id <> d.id`;

export const hostnameTaken: Cause<null> = {
  kinds: ['hostnameTaken'],
  find: `
    SELECT 'hostnameTaken' AS kind, d.id AS domain_id, '' AS subject, d.created_at AS since,
           CASE WHEN d.status = 'pending_verification' THEN d.created_at + interval '${PENDING_MS} milliseconds' END AS deadline,
           false AS is_bad
      FROM domains d
     WHERE d.account_id = $1 AND d.status IN ('pending_verification', 'failed') AND EXISTS (${HOLDER})`,
  facts: `SELECT NULL::json`,
  target: 'dns',
  word: ({ hostname }) => ({
    title: `${hostname} is in use by another account`,
    detail: 'It becomes free when its DNS has not led to that account for 7 days',
    state: 'In use by another account',
  }),
};
