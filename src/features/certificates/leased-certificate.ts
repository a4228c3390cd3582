/**
 * The SQL of a process that has the lease of a certificate: of a domain (table `certificates`), or of the API itself (`own_certificates`).
 * Each change names the row ($1) and the fence ($2). After the end of the lease, it throws LeaseLost and changes nothing.
 */
import type { Queryable } from '../../platform/postgres/database.ts';
import { LeaseLost, leasedFor } from '../../platform/postgres/lease.ts';
import type { Certificate } from './certificate.ts';
import type { SavedOrder } from './issuer.ts';

/** The length of a lease. If the process that has the lease dies, another process may begin after this time. */
export const LEASE_MS = 30_000;

/** Stores a certificate, ends its order, and sets the count of failures to 0. */
const SET_CERTIFICATE = `chain = $3, key = $4, directory = $5, issuer = $6, not_before = $7, not_after = $8, ari_id = $9,
     renew_at = $10, due_at = $10, ari_check_at = $11,
     order_directory = NULL, order_url = NULL, order_key = NULL, failures = 0, last_error = NULL`;

/** If the last attempt failed or was put off, the time of the next attempt stays. */
const SET_RENEWAL_TIME =
  'renew_at = $3, ari_check_at = $4, due_at = CASE WHEN last_error IS NULL THEN $3 ELSE due_at END';

interface LeasedTable<Member extends string> {
  readonly table: string;
  readonly column: string;
  /** The member of a lease that has the value of `column`. */
  readonly member: Member;
  /** What else a new certificate sets, as the end of a SET clause. */
  readonly alsoSet: string;
  /** Why a lease is lost. */
  readonly lost: string;
}

export function leasedCertificates<Member extends string>({
  table,
  column,
  member,
  alsoSet,
  lost,
}: LeasedTable<Member>) {
  type Lease = Readonly<Record<Member, string>> & { readonly fence: number };
  const change = async (on: Queryable, lease: Lease, set: string, values: readonly unknown[]) => {
    const { rowCount } = await on.query(
      `UPDATE ${table} SET ${set} WHERE ${column} = $1 AND fence = $2 AND leased_until > now()`,
      [lease[member], lease.fence, ...values],
    );
    if (rowCount !== 1) throw new LeaseLost(lost);
  };
  return {
    change,
    renewLease: (on: Queryable, lease: Lease) =>
      change(on, lease, `leased_until = ${leasedFor('$3')}`, [LEASE_MS]),
    /** Ends the lease, so that another process may begin at once. Does nothing if the lease is lost. */
    async endLease(on: Queryable, lease: Lease): Promise<void> {
      const text = `UPDATE ${table} SET leased_until = NULL WHERE ${column} = $1 AND fence = $2`;
      await on.query(text, [lease[member], lease.fence]);
    },
    /** Saves the order under way; undefined: the order has ended. */
    saveOrder: (on: Queryable, lease: Lease, order: SavedOrder | undefined) =>
      change(on, lease, 'order_directory = $3, order_url = $4, order_key = $5', [
        ...[order?.directory ?? null, order?.url ?? null],
        order === undefined ? null : JSON.stringify(order.key),
      ]),
    saveCertificate(on: Queryable, lease: Lease, certificate: Certificate, ariCheckAt: Date) {
      const { chain, key, directory, issuer, notBefore, notAfter, ariId, renewAt } = certificate;
      return change(on, lease, SET_CERTIFICATE + alsoSet, [
        ...[chain, JSON.stringify(key), directory, issuer, notBefore, notAfter, ariId, renewAt],
        ariCheckAt,
      ]);
    },
    saveRenewalTime: (on: Queryable, lease: Lease, renewAt: Date, ariCheckAt: Date) =>
      change(on, lease, SET_RENEWAL_TIME, [renewAt, ariCheckAt]),
  };
}
