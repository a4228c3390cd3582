/** The SQL of claims. All times are by the clock of the database. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { deleteInPortions } from '../../platform/postgres/delete-in-portions.ts';
import { isFree, leasedFor } from '../../platform/postgres/lease.ts';

/** The claim of one request on its Idempotency-Key. */
export interface Claim {
  readonly accountId: string;
  /** The id of the request, as `requestIdOf` makes it. */
  readonly request: string;
  /** A random id that tells this claim from earlier and later claims on the same key. */
  readonly holder: string;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly sealed: string;
  readonly digest: Buffer;
  readonly bodyBytes: number | null;
}

/** `under way`: another request has claimed the key and has no answer yet. */
type Taken = 'taken' | 'under way' | RecordedAnswer;

const KEEP_HOURS = 24;
/** The most answers of an account. A business account at its full rate reaches this number in 3 hours, with some 100 MB. */
const MAX_ANSWERS = 100_000;
/** The most bytes of an account's answers. One answer has up to 256 KiB, so MAX_ANSWERS answers have up to 26 GB. */
const MAX_ANSWER_BYTES = 100 * 2 ** 20;
const DELETED_AT_ONCE = 10_000;

/** SQL: whether the key of the claim `c` is taken. Without an answer, `expires_at` is the end of a lease. */
const IS_TAKEN = `(NOT ${isFree('c.expires_at')} OR c.status IS NOT NULL AND c.expires_at > now())`;

/**
 * Takes the key for a request in one statement. Returns 'taken', or 'under way' if another request has the key, or the answer that was
 * recorded with the key.
 */
export async function takeClaim(
  queryable: Queryable,
  { accountId, request, holder }: Claim,
  leaseMs: number,
): Promise<Taken> {
  // The statement looks before it inserts, so it does not wait for a transaction that records the answer.
  const { rows } = await queryable.query<{ isTaken: boolean } & { [Name in keyof RecordedAnswer]: never }>({
    name: 'take-claim',
    text: `WITH known AS (
             SELECT status, answer, digest, body_bytes FROM idempotency_claims AS c
              WHERE account_id = $1 AND request = $2 AND ${IS_TAKEN}
           ), taken AS (
             INSERT INTO idempotency_claims AS c (account_id, request, holder, expires_at)
             SELECT $1, $2, $3, ${leasedFor('$4')} WHERE NOT EXISTS (SELECT FROM known)
             ON CONFLICT (account_id, request) DO UPDATE
               SET holder = excluded.holder, expires_at = excluded.expires_at,
                   status = NULL, answer = NULL, digest = NULL, body_bytes = NULL
              WHERE NOT ${IS_TAKEN}
             RETURNING account_id
           )
           SELECT EXISTS (SELECT FROM taken) AS "isTaken", status, answer AS sealed, digest, body_bytes AS "bodyBytes"
             FROM (SELECT) AS one LEFT JOIN known ON true`,
    values: [accountId, request, holder, leaseMs],
  });
  const { isTaken, ...answer } = rows[0]!;
  if (isTaken) return 'taken';
  // Without a status, another request has the lease, or has taken the key at this moment.
  return answer.status === null ? 'under way' : answer;
}

/** Finds the claim on a key. Returns undefined if no request has the key. */
export async function findClaim(
  queryable: Queryable,
  accountId: string,
  request: string,
): Promise<Exclude<Taken, 'taken'> | undefined> {
  const { rows } = await queryable.query<{ [Name in keyof RecordedAnswer]: never }>(
    `SELECT status, answer AS sealed, digest, body_bytes AS "bodyBytes" FROM idempotency_claims AS c
      WHERE account_id = $1 AND request = $2 AND ${IS_TAKEN}`,
    [accountId, request],
  );
  return rows[0]?.status === null ? 'under way' : rows[0];
}

/**
 * Records the answer for later requests with the same key. The row stays locked until the transaction ends, so no other request takes the
 * key meanwhile. Returns false when the claim is lost: its lease ended, and another request took the key or the row was deleted.
 */
export async function recordAnswer(
  queryable: Queryable,
  { accountId, request, holder }: Claim,
  { status, sealed, digest, bodyBytes }: RecordedAnswer,
): Promise<boolean> {
  const { rowCount } = await queryable.query({
    name: 'record-answer',
    text: `UPDATE idempotency_claims SET status = $4, answer = $5, digest = $6, body_bytes = $7,
                  expires_at = now() + $8 * interval '1 hour'
            WHERE account_id = $1 AND request = $2 AND holder = $3`,
    values: [accountId, request, holder, status, sealed, digest, bodyBytes, KEEP_HOURS],
  });
  return rowCount === 1;
}

/** Frees a key that has no answer yet. */
export async function freeClaim(queryable: Queryable, { accountId, request, holder }: Claim): Promise<void> {
  await queryable.query(
    // After `recordAnswer`, the answer to COMMIT may be lost. Then this statement waits for that COMMIT, and leaves the row.
    `DELETE FROM idempotency_claims WHERE account_id = $1 AND request = $2 AND holder = $3 AND status IS NULL`,
    [accountId, request, holder],
  );
}

export async function renewClaims(
  queryable: Queryable,
  claims: readonly Claim[],
  leaseMs: number,
): Promise<void> {
  // A locked claim is skipped: a transaction is recording its answer.
  await queryable.query(
    `WITH free AS MATERIALIZED (
       SELECT c.account_id, c.request FROM idempotency_claims AS c
         JOIN unnest($1::text[], $2::text[], $3::text[]) AS held (account_id, request, holder)
              USING (account_id, request, holder)
        WHERE c.status IS NULL FOR UPDATE OF c SKIP LOCKED
     )
     UPDATE idempotency_claims AS c SET expires_at = ${leasedFor('$4')}
       FROM free WHERE c.account_id = free.account_id AND c.request = free.request`,
    [
      claims.map(({ accountId }) => accountId),
      claims.map(({ request }) => request),
      claims.map(({ holder }) => holder),
      leaseMs,
    ],
  );
}

/** Deletes expired claims, and all but the newest answers of each account. A job calls it every ten minutes. */
export async function deleteOldClaims(
  queryable: Queryable,
  { maxAnswers = MAX_ANSWERS, maxBytes = MAX_ANSWER_BYTES } = {},
): Promise<void> {
  // The outer condition repeats the inner one, because Postgres checks only the outer one again for a row that changed meanwhile.
  await deleteInPortions(
    queryable,
    `DELETE FROM idempotency_claims WHERE expires_at <= now() AND (account_id, request) IN
       (SELECT account_id, request FROM idempotency_claims WHERE expires_at <= now() LIMIT $1)`,
    [],
    DELETED_AT_ONCE,
  );
  await deleteInPortions(
    queryable,
    // octet_length does not read answers that Postgres keeps out of line (TOAST).
    `DELETE FROM idempotency_claims WHERE status IS NOT NULL AND (account_id, request) IN (
       SELECT account_id, request FROM (
         SELECT c.account_id, c.request, row_number() OVER newest AS n, sum(octet_length(c.answer)) OVER newest AS bytes
           -- An account without answers since the last runs of the job cannot exceed its limit now.
           FROM (SELECT DISTINCT account_id FROM idempotency_claims
                  WHERE expires_at > now() + interval '${KEEP_HOURS} hours' - interval '1 hour') AS recent,
                LATERAL (SELECT * FROM idempotency_claims a WHERE a.account_id = recent.account_id AND status IS NOT NULL OFFSET 0) AS c
         WINDOW newest AS (PARTITION BY c.account_id ORDER BY c.expires_at DESC, c.request)) AS kept
        WHERE n > $1 OR bytes > $2 LIMIT $3)`,
    [maxAnswers, maxBytes],
    DELETED_AT_ONCE,
  );
}
