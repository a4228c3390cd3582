/** The SQL of the certificate of the API's own hostname (table `own_certificates`). */
import type { Sealed } from '../../../platform/key-ring.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { isFree, leasedFor } from '../../../platform/postgres/lease.ts';
import { allRows, firstRow } from '../../../platform/postgres/rows.ts';
import type { Certificate, CertificateWork } from '../certificate.ts';
import type { SavedOrder } from '../issuer.ts';
import { LEASE_MS, leasedCertificates } from '../leased-certificate.ts';

/** The state of the certificate when a process takes the lease. If `isDue` is false, the check of the renewal time is due. */
export type OwnCertificateWork = Pick<
  CertificateWork,
  'hostname' | 'fence' | 'now' | 'isDue' | 'certificate' | 'order' | 'failures'
>;

type Lease = Pick<OwnCertificateWork, 'hostname' | 'fence'>;

interface WorkRow extends Omit<OwnCertificateWork, 'certificate' | 'order'> {
  readonly certificate: Omit<Certificate, 'notBefore' | 'notAfter' | 'renewAt'> | null;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly renewAt: Date;
  readonly order: SavedOrder | null;
}

/** Adds the row of a hostname, whose certificate is due at once. Does nothing for a known hostname. */
export async function addOwnHostname(queryable: Queryable, hostname: string): Promise<void> {
  await queryable.query('INSERT INTO own_certificates (hostname) VALUES ($1) ON CONFLICT DO NOTHING', [
    hostname,
  ]);
}

/**
 * Deletes the expired certificates of former hostnames. A process with a former API_HOSTNAME may run beside this one, so the certificates
 * that a process tries to renew stay.
 */
export async function deleteFormerOwn(queryable: Queryable, hostname: string): Promise<void> {
  await queryable.query(
    `DELETE FROM own_certificates WHERE hostname <> $1 AND not_after < now() AND due_at < now() - interval '1 day'`,
    [hostname],
  );
}

/** Takes the lease. Returns undefined if nothing is due, or if another process has the lease. */
export async function takeDueOwn(
  queryable: Queryable,
  hostname: string,
): Promise<OwnCertificateWork | undefined> {
  const { rows } = await queryable.query<WorkRow>(
    `UPDATE own_certificates SET fence = fence + 1, leased_until = ${leasedFor('$2')}
      WHERE hostname = $1 AND least(due_at, ari_check_at) <= now() AND ${isFree('leased_until')}
  RETURNING hostname, fence, now() AS now, due_at <= now() AS "isDue", failures,
            not_before AS "notBefore", not_after AS "notAfter", renew_at AS "renewAt",
            CASE WHEN chain IS NOT NULL THEN
              jsonb_build_object('chain', chain, 'key', key, 'directory', directory, 'issuer', issuer, 'ariId', ari_id) END AS certificate,
            CASE WHEN order_url IS NOT NULL THEN
              jsonb_build_object('directory', order_directory, 'url', order_url, 'key', order_key) END AS "order"`,
    [hostname, LEASE_MS],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { certificate, order, notBefore, notAfter, renewAt, ...work } = row;
  return {
    ...work,
    certificate: certificate === null ? undefined : { ...certificate, notBefore, notAfter, renewAt },
    order: order ?? undefined,
  };
}

const { change, ...leased } = leasedCertificates({
  ...{ table: 'own_certificates', column: 'hostname', member: 'hostname', alsoSet: '' },
  lost: 'another process works on this certificate',
});
export const { renewLease, endLease, saveOrder, saveCertificate, saveRenewalTime } = leased;

/**
 * Saves a failed attempt. `counts`: whether the attempt counts as a failure of the hostname. `retryMs`: the time until the next attempt.
 * Throws LeaseLost.
 */
export async function saveOwnFailure(
  queryable: Queryable,
  lease: Lease,
  {
    message,
    retryMs,
    counts,
  }: { readonly message: string; readonly retryMs: number; readonly counts: boolean },
): Promise<void> {
  await change(
    queryable,
    lease,
    `last_error = $3, due_at = now() + $4 * interval '1 millisecond', failures = failures + $5`,
    [message, retryMs, Number(counts)],
  );
}

/** The certificate with which the API serves HTTPS. */
export interface OwnCertificate {
  readonly hostname: string;
  readonly chain: string;
  readonly key: Sealed;
}

/** Finds the certificate; undefined while there is none. */
export function findOwnCertificate(queryable: Queryable, hostname: string) {
  return firstRow<OwnCertificate>(
    queryable,
    'SELECT hostname, chain, key FROM own_certificates WHERE hostname = $1 AND chain IS NOT NULL',
    [hostname],
  );
}

export function listOwnCertificates(queryable: Queryable) {
  return allRows<OwnCertificate>(
    queryable,
    'SELECT hostname, chain, key FROM own_certificates WHERE chain IS NOT NULL',
  );
}

/** Replaces the sealed key, unless it was changed since it was read. */
export async function replaceOwnKey(queryable: Queryable, read: OwnCertificate, key: Sealed): Promise<void> {
  await queryable.query('UPDATE own_certificates SET key = $3 WHERE hostname = $1 AND key = $2::jsonb', [
    read.hostname,
    JSON.stringify(read.key),
    JSON.stringify(key),
  ]);
}

/** Gives up a certificate whose sealed key cannot be opened. A new certificate is due now. */
export async function discardOwnCertificate(queryable: Queryable, read: OwnCertificate): Promise<void> {
  await queryable.query(
    `UPDATE own_certificates SET chain = NULL, key = NULL, not_after = NULL, ari_id = NULL, renew_at = NULL, ari_check_at = NULL,
            due_at = now() WHERE hostname = $1 AND key = $2::jsonb`,
    [read.hostname, JSON.stringify(read.key)],
  );
}
