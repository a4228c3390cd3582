/** The SQL of domains. */
import {
  type Database,
  inTransaction,
  type Queryable,
  queryPatiently,
  slowStatement,
  type Transaction,
  violatedConstraint,
} from '../../platform/postgres/database.ts';
import { type Asked, EACH_OF_TEXT_PAIRS, inOrder } from '../../platform/postgres/many-asked.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockAccount } from '../accounts/account-store.ts';
import { unauthorized } from '../accounts/api-key.ts';
import { type Domain, type DomainSummary, needsDns, type WholeDomain, type WithDomain } from './domain.ts';
import { URLS_A_WEEK_AGO } from './domain-counts-store.ts';
import { IS_SERVED, type SiteDomain } from './served-domain-store.ts';

export const COLUMNS = `d.id, d.account_id AS "accountId", d.hostname, d.status, d.ssl_status AS "sslStatus",
  d.cname_target AS "cnameTarget", d.created_at AS "createdAt", d.verified_at AS "verifiedAt", d.failure,
  d.index_now AS "isIndexNowEnabled", d.max_removed_percent AS "maxRemovedPercent", d.placement, d.website`;

const SUMMED = `d.position, d.stored_bytes AS "storedBytes", coalesce(s."urlCount", 0) AS "urlCount",
  coalesce(s."sitemapCount", 0) AS "sitemapCount", s."lastUpdated"`;

const FROM_DOMAINS = `
    FROM domains d LEFT JOIN LATERAL (
      SELECT sum(u.url_count)::bigint AS "urlCount", sum(u.file_count)::bigint AS "sitemapCount",
             max(m.updated_at) AS "lastUpdated"
        FROM sitemaps m JOIN uploads u ON u.id = m.upload_id
       WHERE m.domain_id = d.id
    ) s ON true`;

const SUMMARY = `SELECT ${COLUMNS}, ${SUMMED} ${FROM_DOMAINS}`;

interface NewDomain
  extends Pick<Domain, 'id' | 'accountId' | 'hostname' | 'cnameTarget'>,
    Partial<Pick<Domain, 'website'>> {
  /** The id of a person or a key. */
  readonly addedBy?: string | null | undefined;
}

/**
 * Inserts the domain unless the account already has `limit` domains. Throws Refusal CONFLICT when the account has already registered the
 * hostname, VALIDATION_ERROR over the limit, and UNAUTHORIZED when the account is gone.
 */
export async function insertDomain(
  database: Database,
  domain: NewDomain,
  limit: number,
  onInserted?: WithDomain,
): Promise<Domain> {
  return await inTransaction(database, async (transaction) => {
    // The account was deleted after the request was admitted.
    if (!(await lockAccount(transaction, domain.accountId))) throw unauthorized();
    const inserted = await insertDomainIn(transaction, domain, limit);
    await onInserted?.(transaction, inserted);
    return inserted;
  });
}

/**
 * Inserts a domain in a transaction that has locked the account, so each insert sees all earlier ones. `isVerified`: the domain is verified
 * from the beginning, and its DNS records are never checked. Throws Refusal VALIDATION_ERROR over the limit, and CONFLICT when the account
 * has already registered the hostname, or, for `isVerified`, when another account holds the hostname.
 */
export async function insertDomainIn(
  transaction: Transaction,
  domain: NewDomain,
  limit: number,
  isVerified = false,
): Promise<Domain> {
  await refuseOverLimit(transaction, domain.accountId, limit);
  try {
    const { id, accountId, hostname, cnameTarget, website = null, addedBy = null } = domain;
    const { rows } = await transaction.query<Domain>({
      name: `insert-${isVerified ? 'verified' : 'pending'}-domain`,
      text: `INSERT INTO domains AS d (id, account_id, hostname, cname_target, website, added_by, status, ssl_status, verified_at, check_at)
             VALUES ($1, $2, $3, $4, $5, $6, ${isVerified ? VERIFIED : PENDING}) RETURNING ${COLUMNS}`,
      values: [
        ...[id, accountId, hostname, cnameTarget, website, addedBy],
        ...(isVerified ? [] : [needsDns(hostname)]),
      ],
    });
    return rows[0]!;
  } catch (error) {
    if (violatedConstraint(error) !== 'domains_account_hostname_is_unique') refuseHeld(error);
    throw new Refusal('CONFLICT', `The hostname ${domain.hostname} is already registered.`);
  }
}

const PENDING = `'pending_verification', 'pending', NULL, CASE WHEN $7 THEN now() + interval '50 seconds' END`;
const VERIFIED = "'verified', 'provisioning', now(), NULL";

async function refuseOverLimit(transaction: Transaction, accountId: string, limit: number): Promise<void> {
  const { rows } = await transaction.query<{ count: number }>(
    'SELECT count(*) AS count FROM domains WHERE account_id = $1',
    [accountId],
  );
  if (rows[0]!.count < limit) return;
  throw new Refusal('VALIDATION_ERROR', `The plan allows ${limit} ${limit === 1 ? 'domain' : 'domains'}.`, {
    details: { field: 'hostname', value: null, limit },
  });
}

export function findDomain(queryable: Queryable, id: string) {
  return firstRow<Domain>(queryable, `SELECT ${COLUMNS} FROM domains d WHERE id = $1`, [id]);
}

/** A hostname, and the account that looks for its own domain. */
export type OwnHostname = Pick<Domain, 'accountId' | 'hostname'>;

/** The result is in the order of `hostnames`. */
export async function findDomainsByHostname(
  queryable: Queryable,
  hostnames: readonly OwnHostname[],
): Promise<readonly (Domain | undefined)[]> {
  const { rows } = await queryable.query<Asked & Domain>({
    name: 'find-domains-by-hostname',
    text: `SELECT n, d.*
             FROM ${EACH_OF_TEXT_PAIRS} AS asked (account_id, hostname, n) CROSS JOIN LATERAL (
               SELECT ${COLUMNS} FROM domains d
                WHERE d.account_id = asked.account_id AND d.hostname = asked.hostname LIMIT 1) d`,
    values: [hostnames.map(({ accountId }) => accountId), hostnames.map(({ hostname }) => hostname)],
  });
  return inOrder(hostnames.length, rows);
}

/**
 * Returns whether this account has each hostname (`yours`) or another account holds it (`taken`). All other hostnames are absent from the
 * result.
 */
export async function listHolders(
  queryable: Queryable,
  accountId: string,
  hostnames: readonly string[],
): Promise<ReadonlyMap<string, 'yours' | 'taken'>> {
  const { rows } = await queryable.query<{ hostname: string; isYours: boolean }>(
    `SELECT hostname, bool_or(account_id = $1) AS "isYours" FROM domains
      WHERE hostname = ANY($2) AND (account_id = $1 OR ${IS_SERVED}) GROUP BY hostname`,
    [accountId, hostnames],
  );
  return new Map(rows.map(({ hostname, isYours }) => [hostname, isYours ? 'yours' : 'taken']));
}

export function findDomainSummary(queryable: Queryable, id: string) {
  return firstRow<WholeDomain>(
    queryable,
    `SELECT ${COLUMNS}, ${SUMMED}, ${URLS_A_WEEK_AGO} AS "urlsAWeekAgo",
            coalesce((SELECT name FROM users WHERE id = d.added_by), (SELECT name FROM api_keys WHERE id = d.added_by)) AS "addedBy"
     ${FROM_DOMAINS} WHERE d.id = $1`,
    [id],
  );
}

/** Lists the domains of all accounts with this hostname, the oldest first. */
export function listRegisteredDomains(queryable: Queryable, hostname: string) {
  return allRows<DomainSummary>(queryable, `${SUMMARY} WHERE d.hostname = $1 ORDER BY d.position`, [
    hostname,
  ]);
}

/**
 * Lists the first `limit` domains with a position below `before`, the newest first. Without `accountId`, it lists domains of all accounts.
 * `ids`: only these domains. `status`: only domains with this status.
 */
export function listDomainSummaries(
  queryable: Queryable,
  accountId: string | undefined,
  limit: number,
  before: number | undefined,
  ids: readonly string[] | null = null,
  status: ListedStatus | undefined = undefined,
): Promise<DomainSummary[]> {
  const ofAccount = accountId === undefined ? '$1::text IS NULL' : 'd.account_id = $1';
  const ofThese = ids === null ? '' : ' AND d.id = ANY($4)';
  const inStatus = status === undefined ? '' : ` AND ${IN_STATUS[status]}`;
  return allRows<DomainSummary>(queryable, {
    name: `list-${accountId === undefined ? 'all-' : ''}domains${ids === null ? '' : '-of-these'}${status ?? ''}`,
    text: `${SUMMARY} WHERE ${ofAccount} AND ($3::bigint IS NULL OR d.position < $3)${ofThese}${inStatus}
            ORDER BY d.position DESC LIMIT $2`,
    values: [accountId ?? null, limit, before ?? null, ...(ids === null ? [] : [ids])],
  });
}

/** Returns the domain of an account with a hostname, or none. `ids`: as in `listDomainSummaries`. */
export function listOwnOfHostname(
  queryable: Queryable,
  accountId: string,
  hostname: string,
  ids: readonly string[] | null = null,
) {
  return allRows<DomainSummary>(
    queryable,
    `${SUMMARY} WHERE d.account_id = $1 AND d.hostname = $2 AND ($3::text[] IS NULL OR d.id = ANY($3))`,
    [accountId, hostname, ids],
  );
}

/** Few domains are pending or failed, so their lists have an index. */
const IN_STATUS = {
  pending_verification: "d.status = 'pending_verification'",
  failed: "d.status = 'failed'",
  served: "d.status IN ('verified', 'active')",
};
export const LISTED_STATUSES = ['pending_verification', 'failed', 'served'] as const;
export type ListedStatus = (typeof LISTED_STATUSES)[number];

export async function hasDomains(queryable: Queryable, accountId: string): Promise<boolean> {
  const { rowCount } = await queryable.query('SELECT FROM domains WHERE account_id = $1 LIMIT 1', [
    accountId,
  ]);
  return rowCount === 1;
}

/**
 * Marks the domain as verified, and returns it; undefined when it is gone or already verified. Throws Refusal CONFLICT when
 * another account holds the hostname. `firstCheckInMs` is undefined if the DNS records of the domain are never checked.
 */
export async function markVerified(
  transaction: Transaction,
  id: string,
  firstCheckInMs: number | undefined,
): Promise<Domain | undefined> {
  const updated = transaction.query<Domain>(
    // The statement waits for a transaction that verifies the same hostname for another account.
    slowStatement(
      `UPDATE domains d SET status = 'verified', ssl_status = 'provisioning', verified_at = now(), failure = NULL,
              check_at = now() + $2 * interval '1 millisecond', wrong_checks = 0, wrong_since = NULL, moved_at = NULL
        WHERE id = $1 AND status IN ('pending_verification', 'failed') RETURNING ${COLUMNS}`,
      [id, firstCheckInMs ?? null],
    ),
  );
  const { rows } = await updated.catch(refuseHeld);
  return rows[0];
}

/** Throws Refusal CONFLICT if a statement failed because another account holds the hostname. Throws any other error as it is. */
export function refuseHeld(error: unknown): never {
  if (violatedConstraint(error) !== 'domains_served_hostname_is_unique') throw error;
  throw new Refusal('CONFLICT', 'Another account has verified this hostname.');
}

/** Marks the domain as failed if it is served and has counted as moved for `movedForMs`. Otherwise returns undefined. */
export function markFailed(transaction: Transaction, id: string, failure: string, movedForMs: number) {
  return firstRow<Domain>(
    transaction,
    slowStatement(
      `UPDATE domains d SET status = 'failed', ssl_status = 'failed', failure = $2, check_at = NULL
        WHERE id = $1 AND ${IS_SERVED} AND moved_at <= now() - $3 * interval '1 millisecond' RETURNING ${COLUMNS}`,
      [id, failure, movedForMs],
    ),
  );
}

/** Lists pending domains that were registered more than `pendingMs` ago, the oldest first. */
export function listExpiredDomains(queryable: Queryable, pendingMs: number, limit: number) {
  return allRows<Domain>(
    queryable,
    `SELECT ${COLUMNS} FROM domains d
      WHERE status = 'pending_verification' AND created_at < now() - $1 * interval '1 millisecond'
      ORDER BY created_at LIMIT $2`,
    [pendingMs, limit],
  );
}

/** The settings that the owner of a domain changes, with their columns. */
const SETTINGS = {
  maxRemovedPercent: 'max_removed_percent',
  placement: 'placement',
  website: 'website',
} as const satisfies Partial<Record<keyof Domain, string>>;
export type DomainSettings = Pick<Domain, keyof typeof SETTINGS>;

/** Returns false if the domain has the value already, or is gone. */
export async function setSetting<Name extends keyof DomainSettings>(
  queryable: Queryable,
  id: string,
  name: Name,
  value: DomainSettings[Name],
): Promise<boolean> {
  const column = SETTINGS[name];
  const { rowCount } = await queryable.query(
    // The statement waits for an upload that is being published.
    slowStatement(`UPDATE domains SET ${column} = $2 WHERE id = $1 AND ${column} IS DISTINCT FROM $2`, [
      id,
      value,
    ]),
  );
  return rowCount === 1;
}

/** Deletes the domain. The rows of its uploads and of their files stay until their objects are collected. */
export async function deleteDomainRow(transaction: Transaction, id: string): Promise<void> {
  await queryPatiently(transaction, 'DELETE FROM domains WHERE id = $1', [id]);
}

/** A domain that no other transaction publishes to. */
export interface LockedDomain
  extends Pick<SiteDomain, 'isServed'>,
    Pick<Domain, 'id' | 'isIndexNowEnabled' | 'maxRemovedPercent'> {
  /** Whether its site has a certificate. */
  readonly isSecure: boolean;
  /** Whether the account has webhooks. They may want events. */
  readonly hasWebhooks: boolean;
  /** Whether a page host may have a warning for the next upload. */
  readonly hasWarnings: boolean;
  /** The highest generation of the sitemaps that were deleted. */
  readonly deletedSeq: number;
  /** Whether the domain has a sitemap of recent changes. */
  readonly hasRecent: boolean;
}

/** Locks the domain: other publications wait until the transaction ends. Returns undefined when the domain is gone. */
export async function lockDomain(transaction: Transaction, id: string): Promise<LockedDomain | undefined> {
  return (await lockDomains(transaction, [id], true))[0];
}

/**
 * Locks domains in the order of their ids. Domains that are gone are left out. If `waits` is false, domains that another transaction has
 * locked are left out too.
 */
export function lockDomains(
  transaction: Transaction,
  ids: readonly string[],
  waits: boolean,
): Promise<LockedDomain[]> {
  const skip = waits ? '' : ' SKIP LOCKED';
  return allRows<LockedDomain>(
    transaction,
    slowStatement(
      `SELECT d.id, ${IS_SERVED} AS "isServed", d.ssl_status = 'active' AS "isSecure", d.index_now AS "isIndexNowEnabled",
              d.has_warnings AS "hasWarnings", d.max_removed_percent AS "maxRemovedPercent",
              d.deleted_seq AS "deletedSeq", d.recent_enabled AS "hasRecent",
              EXISTS (SELECT FROM webhook_endpoints w WHERE w.account_id = d.account_id AND w.format <> 'email') AS "hasWebhooks"
         FROM domains d WHERE d.id = ANY($1) ORDER BY d.id FOR NO KEY UPDATE OF d${skip}`,
      [ids],
      `lock-domains${skip}`,
    ),
  );
}

/** Locks the domain more strongly than `lockDomain`: other transactions cannot insert rows that refer to the domain. */
export function lockDomainForDeletion(transaction: Transaction, id: string) {
  return firstRow<Domain>(
    transaction,
    slowStatement(`SELECT ${COLUMNS} FROM domains d WHERE id = $1 FOR UPDATE`, [id]),
  );
}
