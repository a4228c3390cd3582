/** The SQL of endpoints. */
import {
  type Database,
  inTransaction,
  type Queryable,
  slowStatement,
  type Transaction,
} from '../../platform/postgres/database.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type Endpoint, type EndpointMembers, MAX_ENDPOINTS } from './endpoint.ts';

const COLUMNS = `id, account_id AS "accountId", url, format, description, event_types AS "eventTypes", created_at AS "createdAt",
  secret_version AS "secretVersion", CASE WHEN former_until > now() THEN former_until END AS "formerUntil",
  disabled_at AS "disabledAt", disabled_why AS "disabledWhy", position`;

/** The mail addresses that people chose are endpoints too (`mail/`). */
const IS_WEBHOOK = `format <> 'email'`;
const DISABLED_BY_OWNER = 'Its owner has switched it off.';
/** The hours in which the secrets before a rotation sign too. */
const FORMER_HOURS = 24;
/** The most former secrets that sign one request. An owner whose answer was lost rotates again, so some rotations come in a row. */
const MAX_FORMER_VERSIONS = 4;

/** Inserts an endpoint. Throws Refusal CONFLICT when the account has MAX_ENDPOINTS webhooks already. */
export async function insertEndpoint(
  database: Database,
  endpoint: Pick<Endpoint, 'id' | 'accountId' | 'url' | 'description' | 'eventTypes'> &
    Partial<Pick<Endpoint, 'format'>>,
  onInserted?: (transaction: Transaction, endpoint: Endpoint) => Promise<void>,
): Promise<Endpoint> {
  const { id, accountId, url, format = 'json', description, eventTypes } = endpoint;
  return inTransaction(database, async (transaction) => {
    // Lock the endpoints of the account, so that each concurrent insert sees the inserts before it. No upload waits for this lock.
    await transaction.query(
      slowStatement('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhooks of ${accountId}`]),
    );
    const { rows: counted } = await transaction.query<{ count: number }>(
      `SELECT count(*) AS count FROM webhook_endpoints WHERE account_id = $1 AND ${IS_WEBHOOK}`,
      [accountId],
    );
    if (counted[0]!.count >= MAX_ENDPOINTS) {
      throw new Refusal('CONFLICT', `An account has at most ${MAX_ENDPOINTS} webhooks. Delete one first.`);
    }
    const { rows } = await transaction.query<Endpoint>(
      `INSERT INTO webhook_endpoints (id, account_id, url, description, event_types, format)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
      [id, accountId, url, description, eventTypes, format],
    );
    await onInserted?.(transaction, rows[0]!);
    return rows[0]!;
  });
}

export function findEndpoint(queryable: Queryable, id: string) {
  return firstRow<Endpoint>(
    queryable,
    `SELECT ${COLUMNS} FROM webhook_endpoints WHERE id = $1 AND ${IS_WEBHOOK}`,
    [id],
  );
}

/**
 * Returns an endpoint of the account. Throws Refusal NOT_FOUND for an unknown id, and FORBIDDEN for another account's endpoint (spec D19).
 */
export async function getOwnEndpoint(queryable: Queryable, accountId: string, id: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(queryable, id);
  if (endpoint === undefined) throw noEndpoint();
  if (endpoint.accountId !== accountId) {
    throw new Refusal('FORBIDDEN', 'This webhook belongs to another account.');
  }
  return endpoint;
}

/** Lists the newest endpoints first: the first `limit` with a position below `before`. `accountId`: undefined for all accounts. */
export function listEndpoints(
  queryable: Queryable,
  accountId: string | undefined,
  limit: number,
  before: number | undefined,
): Promise<Endpoint[]> {
  const ofAccount = accountId === undefined ? '$1::text IS NULL' : 'account_id = $1';
  return allRows<Endpoint>(
    queryable,
    `SELECT ${COLUMNS} FROM webhook_endpoints
      WHERE ${ofAccount} AND ${IS_WEBHOOK} AND ($3::bigint IS NULL OR position < $3) ORDER BY position DESC LIMIT $2`,
    [accountId ?? null, limit, before ?? null],
  );
}

/**
 * Changes the given members of an endpoint. An endpoint that is enabled again, or gets another address, starts without failures. With
 * another address, the result of an attempt under way counts no more. Throws Refusal NOT_FOUND.
 */
export async function changeEndpoint(
  queryable: Queryable,
  id: string,
  { url, format, description, eventTypes, isEnabled }: Partial<EndpointMembers>,
): Promise<Endpoint> {
  const { rows } = await queryable.query<Endpoint>(
    `UPDATE webhook_endpoints
        SET url = coalesce($2, url), description = coalesce($3, description), format = coalesce($8, format),
            event_types = CASE WHEN $4 THEN $5 ELSE event_types END,
            fence = CASE WHEN url <> $2 THEN fence + 1 ELSE fence END,
            leased_until = CASE WHEN url <> $2 THEN NULL ELSE leased_until END,
            failing_since = CASE WHEN url <> $2 OR $6 AND disabled_at IS NOT NULL THEN NULL ELSE failing_since END,
            disabled_why = CASE WHEN $6 THEN NULL WHEN $6 IS FALSE THEN coalesce(disabled_why, $7) ELSE disabled_why END,
            disabled_at = CASE WHEN $6 THEN NULL WHEN $6 IS FALSE THEN coalesce(disabled_at, now()) ELSE disabled_at END
      WHERE id = $1 RETURNING ${COLUMNS}`,
    [
      id,
      url ?? null,
      description ?? null,
      eventTypes !== undefined,
      eventTypes ?? null,
      isEnabled ?? null,
      DISABLED_BY_OWNER,
      format ?? null,
    ],
  );
  if (rows[0] === undefined) throw noEndpoint();
  return rows[0];
}

/** Disables an endpoint for an operator. Returns undefined when there is no such endpoint. */
export function disableEndpoint(queryable: Queryable, id: string, why: string) {
  return firstRow<Endpoint>(
    queryable,
    `UPDATE webhook_endpoints SET disabled_at = coalesce(disabled_at, now()), disabled_why = $2
      WHERE id = $1 AND ${IS_WEBHOOK} RETURNING ${COLUMNS}`,
    [id, why],
  );
}

/**
 * Gives the endpoint the next version of its secret. Former versions sign too, until 24 h pass without a rotation. If the answer to a
 * rotation is lost, the owner rotates again, and the receiver still knows only the version from before the two rotations. Throws Refusal
 * NOT_FOUND, or CONFLICT after too many rotations in a row.
 */
export async function rotateSecret(queryable: Queryable, id: string): Promise<Endpoint> {
  const { rows } = await queryable.query<Endpoint>(
    `UPDATE webhook_endpoints
        SET former_version = CASE WHEN former_until > now() THEN former_version ELSE secret_version END,
            secret_version = secret_version + 1, former_until = now() + $2 * interval '1 hour'
      WHERE id = $1 AND (former_until > now() AND secret_version - former_version >= $3) IS NOT TRUE
      RETURNING ${COLUMNS}`,
    [id, FORMER_HOURS, MAX_FORMER_VERSIONS],
  );
  if (rows[0] !== undefined) return rows[0];
  if ((await findEndpoint(queryable, id)) === undefined) throw noEndpoint();
  const message = `The secret was rotated ${MAX_FORMER_VERSIONS} times within ${FORMER_HOURS} hours. Use the newest one, or create another webhook.`;
  throw new Refusal('CONFLICT', message);
}

/** Deletes an endpoint with its deliveries. Returns false when there is no such endpoint. */
export async function deleteEndpoint(queryable: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await queryable.query(
    slowStatement('DELETE FROM webhook_endpoints WHERE id = $1', [id]),
  );
  return rowCount === 1;
}

function noEndpoint(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such webhook.');
}
