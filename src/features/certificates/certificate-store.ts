/**
 * The SQL of certificates. Other processes seal keys anew while no process has the lease, so a change by a process that works on a
 * certificate throws LeaseLost after the end of its lease, and changes nothing (`leased-certificate.ts`).
 */
import type { Sealed } from '../../platform/key-ring.ts';
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import { deleteInPortions } from '../../platform/postgres/delete-in-portions.ts';
import { isFree, leasedFor } from '../../platform/postgres/lease.ts';
import { allRows, firstRow, onlyRow } from '../../platform/postgres/rows.ts';
import {
  type Certificate,
  type CertificateExpiries,
  type CertificateSummary,
  type CertificateWork,
  EXPIRY_DAYS,
} from './certificate.ts';
import { LEASE_MS, leasedCertificates } from './leased-certificate.ts';

/**
 * Makes the certificates of verified domains due now. If the account already has a certificate for the hostname, that certificate is used
 * again. Work under way began from an older state, so it loses its fence. New work waits for the end of the old lease.
 */
export async function requestCertificates(
  transaction: Transaction,
  domains: readonly { readonly id: string; readonly accountId: string; readonly hostname: string }[],
): Promise<void> {
  await transaction.query(
    `INSERT INTO certificates AS c (account_id, hostname, domain_id, due_at)
     SELECT account_id, hostname, id, now() FROM unnest($1::text[], $2::text[], $3::text[]) AS verified (account_id, hostname, id)
         ON CONFLICT (account_id, hostname) DO UPDATE
        SET domain_id = excluded.domain_id, due_at = now(), priority = 1, fence = c.fence + 1, failures = 0, failing_since = NULL, last_error = NULL`,
    [
      domains.map(({ accountId }) => accountId),
      domains.map(({ hostname }) => hostname),
      domains.map(({ id }) => id),
    ],
  );
}

/** Stops all work for the domain until the domain is verified again. Work under way loses its fence, so it changes nothing more. */
export async function stopCertificate(queryable: Queryable, domainId: string): Promise<void> {
  await queryable.query(
    'UPDATE certificates SET due_at = NULL, ari_check_at = NULL, fence = fence + 1 WHERE domain_id = $1',
    [domainId],
  );
}

/** The row of a certificate. Without a certificate, `chain` is null. Without an order, `orderUrl` is null. */
interface WorkRow extends Omit<CertificateWork, 'certificate' | 'order'>, Omit<Certificate, 'chain'> {
  readonly chain: string | null;
  readonly orderDirectory: string;
  readonly orderUrl: string | null;
  readonly orderKey: Sealed;
}

/**
 * Takes the lease. If another process has the lease, returns the milliseconds until that lease ends. Returns undefined for an unknown
 * domain.
 */
export async function takeLease(
  queryable: Queryable,
  domainId: string,
): Promise<CertificateWork | { readonly leasedMs: number } | undefined> {
  const { rows } = await queryable.query<WorkRow>(
    `UPDATE certificates AS c SET fence = fence + 1, leased_until = ${leasedFor('$2')}
       FROM domains AS d
      WHERE d.id = $1 AND c.domain_id = d.id AND ${isFree('c.leased_until')}
  RETURNING c.domain_id AS "domainId", c.account_id AS "accountId", c.hostname, d.cname_target AS "cnameTarget",
            d.status <> 'pending_verification' AS "isWanted", d.status = 'active' AS "isActive", c.fence, now() AS now,
            coalesce(c.due_at <= now(), false) AS "isDue",
            coalesce(c.ari_check_at <= now(), false) AS "isAriCheckDue",
            c.chain, c.key, c.directory, c.issuer, c.not_before AS "notBefore", c.not_after AS "notAfter",
            c.ari_id AS "ariId", c.renew_at AS "renewAt",
            c.order_directory AS "orderDirectory", c.order_url AS "orderUrl", c.order_key AS "orderKey",
            c.failures, c.failing_since AS "failingSince"`,
    [domainId, LEASE_MS],
  );
  const [row] = rows;
  if (row !== undefined) return workOf(row);
  const { rows: held } = await queryable.query<{ leasedMs: number }>(
    `SELECT extract(epoch FROM leased_until - now())::float8 * 1000 AS "leasedMs"
       FROM certificates WHERE domain_id = $1`,
    [domainId],
  );
  return held[0];
}

function workOf({ orderDirectory, orderUrl, orderKey, ...row }: WorkRow): CertificateWork {
  const { chain, key, directory, issuer, notBefore, notAfter, ariId, renewAt, ...work } = row;
  const described = { key, directory, issuer, notBefore, notAfter, ariId, renewAt };
  return {
    ...work,
    certificate: chain === null ? undefined : { ...described, chain },
    order: orderUrl === null ? undefined : { directory: orderDirectory, url: orderUrl, key: orderKey },
  };
}

type Lease = Pick<CertificateWork, 'domainId' | 'fence'>;

const { change, ...leased } = leasedCertificates({
  ...{ table: 'certificates', column: 'domain_id', member: 'domainId', alsoSet: ', failing_since = NULL' },
  lost: 'another process works on this certificate, or its domain is gone',
});
export const { renewLease, endLease, saveOrder, saveCertificate, saveRenewalTime } = leased;

/** SQL: forgets former failures. */
const NO_FAILURES = 'failures = 0, failing_since = NULL, last_error = NULL';

/** Records that the certificate has expired. A new certificate is due now, and former failures do not count. Throws LeaseLost. */
export async function saveExpiry(transaction: Transaction, lease: Lease): Promise<void> {
  await change(transaction, lease, `due_at = now(), ari_check_at = NULL, ${NO_FAILURES}`, []);
}

/** Ends the checks of the renewal time of a certificate that has expired. Throws LeaseLost. */
export async function stopAriChecks(queryable: Queryable, lease: Lease): Promise<void> {
  await change(queryable, lease, 'ari_check_at = NULL', []);
}

/** Records that the stored certificate of the hostname is in use again. Throws LeaseLost. */
export async function keepCertificate(queryable: Queryable, lease: Lease): Promise<void> {
  await change(queryable, lease, `due_at = renew_at, ari_check_at = now(), ${NO_FAILURES}`, []);
}

/**
 * SQL: sets the next attempt to `$4` milliseconds from now; if `$4` is null, there is no next attempt. A valid certificate has its next
 * attempt at its expiry at the latest, even if `$4` is null.
 */
const NEXT_ATTEMPT = `due_at = CASE WHEN not_after > now() THEN least(not_after, now() + $4 * interval '1 millisecond')
                                    ELSE now() + $4 * interval '1 millisecond' END`;

/** Saves a failed attempt. `retryMs`: the time until the next attempt; undefined to give up. Throws LeaseLost. */
export async function saveFailure(
  queryable: Queryable,
  lease: Lease,
  { message, retryMs }: { readonly message: string; readonly retryMs: number | undefined },
): Promise<void> {
  await change(
    queryable,
    lease,
    `failures = failures + 1, failing_since = coalesce(failing_since, now()), last_error = $3, ${NEXT_ATTEMPT}`,
    [message, retryMs ?? null],
  );
}

/** Puts the work off, and counts no failure. Throws LeaseLost. */
export async function postpone(
  queryable: Queryable,
  lease: Lease,
  { message, retryMs }: { readonly message: string; readonly retryMs: number },
): Promise<void> {
  await change(queryable, lease, `last_error = $3, ${NEXT_ATTEMPT}`, [message, retryMs]);
}

/** The domain whose certificate has a next step. `delayMs`: the time until the step. */
export interface DueCertificate {
  readonly domainId: string;
  readonly delayMs: number;
}

/** Lists renewals and checks of renewal times that are due within `withinMs`, in the order of their due times. */
export function listDueRenewals(
  queryable: Queryable,
  withinMs: number,
  limit: number,
): Promise<DueCertificate[]> {
  const dueBy = (column: 'due_at' | 'ari_check_at') => `
    SELECT domain_id, least(due_at, ari_check_at) AS due FROM certificates
     WHERE ${column} < now() + $1 * interval '1 millisecond'
       AND chain IS NOT NULL AND domain_id IS NOT NULL AND ${isFree('leased_until')}
     ORDER BY ${column} LIMIT $2`;
  return allRows<DueCertificate>(
    queryable,
    `SELECT domain_id AS "domainId", greatest(0, extract(epoch FROM due - now())::float8 * 1000) AS "delayMs"
       FROM ((${dueBy('due_at')}) UNION (${dueBy('ari_check_at')})) AS c
      ORDER BY due LIMIT $2`,
    [withinMs, limit],
  );
}

export interface DueFirst extends DueCertificate {
  readonly hostname: string;
  /** Whether an order is under way. */
  readonly isOrdered: boolean;
}

/**
 * Lists first certificates (of domains that have none yet) that are due within `withinMs`, in the order of their priority. Within a
 * priority, the accounts take turns.
 */
export function listDueFirsts(queryable: Queryable, withinMs: number, limit: number) {
  return allRows<DueFirst>(
    queryable,
    `SELECT domain_id AS "domainId", hostname, order_url IS NOT NULL AS "isOrdered",
            greatest(0, extract(epoch FROM due_at - now())::float8 * 1000) AS "delayMs"
       FROM (SELECT * FROM certificates
              WHERE chain IS NULL AND due_at IS NOT NULL AND due_at < now() + $1 * interval '1 millisecond'
                AND domain_id IS NOT NULL AND ${isFree('leased_until')}
              ORDER BY priority, due_at LIMIT $2) AS due
      ORDER BY priority, row_number() OVER (PARTITION BY account_id, priority ORDER BY due_at), due_at`,
    [withinMs, limit],
  );
}

/** Puts off first certificates whose lease is free. Each certificate gets its own message. */
export async function postponeFirsts(
  queryable: Queryable,
  firsts: readonly { readonly domainId: string; readonly message: string }[],
  retryMs: number,
): Promise<void> {
  await queryable.query(
    `UPDATE certificates AS c SET last_error = put_off.message, due_at = now() + $3 * interval '1 millisecond'
       FROM unnest($1::text[], $2::text[]) AS put_off (domain_id, message)
      WHERE c.domain_id = put_off.domain_id AND c.chain IS NULL AND c.due_at IS NOT NULL AND ${isFree('c.leased_until')}`,
    [firsts.map(({ domainId }) => domainId), firsts.map(({ message }) => message), retryMs],
  );
}

/** The most certificates whose priority one statement sets. */
const JUDGED_AT_ONCE = 1000;

/**
 * Sets the priorities of all first certificates: 0 for domains that were crawled in the last 7 days, 1 for those verified in the last day,
 * 2 for the rest.
 */
export async function setPriorities(queryable: Queryable): Promise<void> {
  for (let after: readonly string[] = ['', '']; ; ) {
    const { rows } = await queryable.query<{ after: string[] | null; count: number }>(
      slowStatement(
        `WITH waiting AS MATERIALIZED (
           SELECT account_id, hostname, domain_id, priority FROM certificates
            WHERE (account_id, hostname) > ($1, $2) AND chain IS NULL
            ORDER BY account_id, hostname LIMIT ${JUDGED_AT_ONCE}
         ), judged AS MATERIALIZED (
           SELECT w.account_id, w.hostname, w.priority AS former,
                  CASE WHEN EXISTS (SELECT FROM crawls WHERE domain_id = w.domain_id AND day > (now() AT TIME ZONE 'UTC')::date - 7)
                       THEN 0
                       WHEN (SELECT verified_at FROM domains WHERE id = w.domain_id) > now() - interval '1 day' THEN 1
                       ELSE 2 END AS priority
             FROM waiting w
         ), changed AS (
           UPDATE certificates c SET priority = judged.priority FROM judged
            WHERE c.account_id = judged.account_id AND c.hostname = judged.hostname AND judged.priority <> judged.former
         )
         SELECT count(*) AS count, (SELECT ARRAY[account_id, hostname] FROM waiting ORDER BY account_id DESC, hostname DESC LIMIT 1) AS after
           FROM waiting`,
        [...after],
      ),
    );
    const { after: last, count } = rows[0]!;
    if (last === null || count < JUDGED_AT_ONCE) return;
    after = last;
  }
}

/** Returns the milliseconds until the next step of the certificate; undefined if it has no next step. */
export async function findDelay(queryable: Queryable, domainId: string): Promise<number | undefined> {
  const { rows } = await queryable.query<{ delayMs: number | null }>(
    `SELECT greatest(0, extract(epoch FROM least(due_at, ari_check_at) - now())::float8 * 1000) AS "delayMs"
       FROM certificates WHERE domain_id = $1 AND least(due_at, ari_check_at) IS NOT NULL`,
    [domainId],
  );
  return rows[0]?.delayMs ?? undefined;
}

/** Finds what people see of the certificate of a domain. Returns undefined for a domain that was never verified. */
export function findCertificateSummary(queryable: Queryable, domainId: string) {
  return firstRow<CertificateSummary>(
    queryable,
    `SELECT issuer, not_before AS "notBefore", not_after AS "notAfter", renew_at AS "renewAt",
            last_error AS "lastError", due_at AS "nextAttemptAt"
       FROM certificates WHERE domain_id = $1`,
    [domainId],
  );
}

/** The most certificates of deleted domains that one statement deletes. */
const LEFT_AT_ONCE = 1000;
const IS_LEFT = 'domain_id IS NULL AND coalesce(not_after < now(), true)';

/** Deletes certificates that have expired or were never issued, if their domains are deleted. */
export async function deleteLeftCertificates(queryable: Queryable): Promise<void> {
  await deleteInPortions(
    queryable,
    // A domain may take its certificate back between the SELECT and the DELETE, so the outer condition decides.
    `DELETE FROM certificates WHERE ${IS_LEFT} AND ctid = ANY (ARRAY(SELECT ctid FROM certificates WHERE ${IS_LEFT} LIMIT $1))`,
    [],
    LEFT_AT_ONCE,
  );
}

/**
 * SQL: whether the renewal of a certificate is late. A week before the expiry is too early for a certificate of 6 days, renewed after 3.
 */
const IS_LATE = `not_after < now() + least(interval '7 days', (not_after - not_before) / 4)`;

export function readExpiries(queryable: Queryable): Promise<CertificateExpiries> {
  const within = EXPIRY_DAYS.map((bound) => `count(*) FILTER (WHERE days <= ${bound})`);
  return onlyRow<CertificateExpiries>(
    queryable,
    slowStatement(
      `WITH soon AS MATERIALIZED (
         SELECT extract(epoch FROM c.not_after - now())::float8 / 86400 AS days, ${IS_LATE} AS is_late
           FROM certificates c JOIN domains d ON d.id = c.domain_id
          WHERE c.domain_id IS NOT NULL AND c.not_after <= now() + $1 * interval '1 day' AND d.status = 'active'
       )
       SELECT extract(epoch FROM least(
                (SELECT c.not_after
                   FROM certificates c CROSS JOIN LATERAL (SELECT FROM domains WHERE id = c.domain_id AND status = 'active' LIMIT 1) d
                  WHERE c.domain_id IS NOT NULL AND c.not_after IS NOT NULL ORDER BY c.not_after LIMIT 1),
                -- A renewal that nobody tries is that of a former hostname of the API.
                (SELECT min(not_after) FROM own_certificates WHERE due_at > now() - interval '1 day')) - now())::float8 / 86400 AS "leastDays",
              (SELECT count(*) FROM soon WHERE is_late)
                + (SELECT count(*) FROM own_certificates WHERE due_at > now() - interval '1 day' AND ${IS_LATE}) AS late,
              (SELECT ARRAY[${within.join(', ')}]::int[] FROM soon) AS within,
              (SELECT count(*) FROM certificates WHERE last_error IS NOT NULL AND domain_id IS NOT NULL) AS failing`,
      [Math.max(...EXPIRY_DAYS)],
    ),
  );
}
