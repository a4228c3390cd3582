/** The SQL of certificates for operators: their lists, and renewals on request. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { allRows } from '../../platform/postgres/rows.ts';
import type { ListedCertificate } from './certificate.ts';

/**
 * Lists the certificates of existing domains in the order of their expiry. Domains without a certificate come first. With `onlyFailing`,
 * lists only domains with a `lastError`.
 */
export function listCertificates(queryable: Queryable, onlyFailing: boolean, limit: number) {
  return allRows<ListedCertificate>(
    queryable,
    `SELECT c.hostname, c.account_id AS "accountId", d.status, c.issuer, c.not_after AS "notAfter",
            c.renew_at AS "renewAt", c.last_error AS "lastError", c.due_at AS "nextAttemptAt"
       FROM certificates c JOIN domains d ON d.id = c.domain_id
      WHERE NOT $1 OR c.last_error IS NOT NULL
      ORDER BY c.not_after NULLS FIRST, c.hostname LIMIT $2`,
    [onlyFailing, limit],
  );
}

/** The domain of a certificate, and the certificate's position in its list. The next page begins after the position of the last one. */
export interface CertificatePosition {
  readonly domainId: string;
  readonly position: string;
}

/**
 * Lists the first `limit` certificates after the position `after`. With `isFailing`, lists certificates with a `lastError`, in the order of
 * their domain ids. Otherwise lists all issued certificates, in the order of their expiry.
 */
export function listCertificatePage(
  queryable: Queryable,
  isFailing: boolean,
  limit: number,
  after?: string,
): Promise<(ListedCertificate & CertificatePosition)[]> {
  const [id, notAfter] = after?.split(' until ') ?? [];
  const [first, order] = isFailing
    ? [
        'c.last_error IS NOT NULL AND ($2::text IS NULL OR c.domain_id > $2) AND $3::timestamptz IS NULL',
        'c.domain_id',
      ]
    : [
        `c.domain_id IS NOT NULL AND c.not_after IS NOT NULL
          AND ($2::text IS NULL OR (c.not_after, c.domain_id) > ($3::timestamptz, $2))`,
        'c.not_after, c.domain_id',
      ];
  return allRows<ListedCertificate & CertificatePosition>(
    queryable,
    `SELECT c.hostname, c.account_id AS "accountId", d.status, c.issuer, c.not_after AS "notAfter",
            c.renew_at AS "renewAt", c.last_error AS "lastError", c.due_at AS "nextAttemptAt",
            c.domain_id AS "domainId", ${isFailing ? 'c.domain_id' : "c.domain_id || ' until ' || c.not_after"} AS position
       FROM certificates c JOIN domains d ON d.id = c.domain_id WHERE ${first} ORDER BY ${order} LIMIT $1`,
    [limit, id ?? null, notAfter ?? null],
  );
}

/** Makes a new certificate due now, even if the present certificate is valid. Returns false for a domain that is not served. */
export async function renewNow(queryable: Queryable, domainId: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    // A domain that was verified before certificates existed has no row yet.
    `INSERT INTO certificates AS c (account_id, hostname, domain_id, due_at)
     SELECT account_id, hostname, id, now() FROM domains WHERE id = $1 AND status IN ('verified', 'active')
         ON CONFLICT (account_id, hostname) DO UPDATE
        SET domain_id = excluded.domain_id, due_at = excluded.due_at, renew_at = least(c.renew_at, now())`,
    [domainId],
  );
  return rowCount === 1;
}
