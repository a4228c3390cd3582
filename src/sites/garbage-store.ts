/** The SQL of `garbage`: objects that nothing refers to, or soon nothing will. */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';
import { UPLOADS_PREFIX, uploadIdOfPrefix } from './site.ts';

/** Lists prefixes for deletion in `keepMs`. A prefix that is already listed keeps its time. */
export async function addGarbage(
  queryable: Queryable,
  prefixes: readonly string[],
  keepMs: number,
): Promise<void> {
  await queryable.query(
    `INSERT INTO garbage (prefix, collect_after)
     SELECT unnest($1::text[]), now() + $2 * interval '1 millisecond' ON CONFLICT DO NOTHING`,
    [prefixes, keepMs],
  );
}

/** Takes a prefix off the list. Returns false when it is not listed, because it has been collected. */
export async function rescueFromGarbage(queryable: Queryable, prefix: string): Promise<boolean> {
  const { rowCount } = await queryable.query('DELETE FROM garbage WHERE prefix = $1', [prefix]);
  return rowCount === 1;
}

/** Lists the objects of an upload that was live. Its bytes count for its account. */
export function addReplacedUpload(queryable: Queryable, uploadId: string, keepMs: number): Promise<void> {
  return addUploads(queryable, 'u.id', uploadId, keepMs);
}

/** Lists the objects of all uploads of a domain. Their bytes count for its account. */
export function addUploadsOfDomain(queryable: Queryable, domainId: string, keepMs: number): Promise<void> {
  return addUploads(queryable, 'u.domain_id', domainId, keepMs);
}

async function addUploads(
  queryable: Queryable,
  column: 'u.id' | 'u.domain_id',
  value: string,
  keepMs: number,
): Promise<void> {
  await queryable.query(
    `INSERT INTO garbage (prefix, collect_after, account_id, bytes)
     SELECT $3 || u.id || '/', now() + $2 * interval '1 millisecond', d.account_id, u.gzip_bytes
       FROM uploads u JOIN domains d ON d.id = u.domain_id WHERE ${column} = $1
     ON CONFLICT DO NOTHING`,
    [value, keepMs, UPLOADS_PREFIX],
  );
}

/** A replaced upload, or one of a deleted domain, beyond the bytes that its account may keep. */
export interface ExcessUpload {
  readonly prefix: string;
  /** Null when the domain is deleted. */
  readonly domainId: string | null;
  readonly hostname: string | null;
}

/**
 * Lists the uploads beyond the bytes that each account's plan allows (`allowedBytes`, by plan), counted from the
 * newest. Uploads that are due within `soonMs` count, but are not returned.
 */
export async function listExcessUploads(
  queryable: Queryable,
  allowedBytes: Readonly<Record<string, number>>,
  soonMs: number,
): Promise<ExcessUpload[]> {
  const { rows } = await queryable.query<ExcessUpload>(
    slowStatement(
      `WITH allowed (plan, bytes) AS (
         SELECT * FROM unnest($1::text[], $2::bigint[])
       ), kept AS (
         SELECT prefix, account_id, collect_after,
                sum(bytes) OVER (PARTITION BY account_id ORDER BY collect_after DESC, prefix) AS bytes
           FROM garbage WHERE account_id IS NOT NULL
       )
       SELECT k.prefix, d.id AS "domainId", d.hostname
         FROM kept k JOIN accounts a ON a.id = k.account_id JOIN allowed ON allowed.plan = a.plan
              LEFT JOIN uploads u ON u.id = split_part(k.prefix, '/', 2)
              LEFT JOIN domains d ON d.id = u.domain_id
        WHERE k.bytes > allowed.bytes AND k.collect_after > now() + $3 * interval '1 millisecond'`,
      [Object.keys(allowedBytes), Object.values(allowedBytes), soonMs],
    ),
  );
  return rows;
}

/** Makes replaced uploads due in `delayMs` at the latest, and withdraws them, so that sites stop naming them. */
export async function hastenUploads(
  transaction: Transaction,
  prefixes: readonly string[],
  delayMs: number,
): Promise<void> {
  // Lock `garbage` before `uploads`, as a collector does.
  await transaction.query(
    `UPDATE garbage SET collect_after = least(collect_after, now() + $2 * interval '1 millisecond')
      WHERE prefix = ANY($1)`,
    [prefixes, delayMs],
  );
  await transaction.query('UPDATE uploads SET withdrawn = true WHERE id = ANY($1)', [
    prefixes.map(uploadIdOfPrefix),
  ]);
}

/**
 * Whether a comparison needs the upload (docs/decisions/0025): one that is under way reads it and writes beside it, or one
 * that is due will read it, for a day at most. Names the columns of `garbage`.
 */
export const IS_COMPARED = `(
  EXISTS (SELECT FROM sitemaps s
           WHERE s.comparing_upload_id = split_part(prefix, '/', 2) AND s.comparing_until > now())
  OR (collect_after > now() - interval '1 day'
      AND EXISTS (SELECT FROM sitemaps s
                   WHERE s.compared_upload_id = split_part(prefix, '/', 2)
                     AND s.compared_upload_id IS DISTINCT FROM s.upload_id)))`;

/** Locks and returns one prefix that is due and that no other transaction has locked. */
export async function takeDueGarbage(queryable: Queryable): Promise<string | undefined> {
  const { rows } = await queryable.query<{ prefix: string }>(
    `SELECT prefix FROM garbage WHERE collect_after <= now() AND NOT ${IS_COMPARED}
      ORDER BY collect_after LIMIT 1 FOR UPDATE SKIP LOCKED`,
  );
  return rows[0]?.prefix;
}

/** Makes a prefix due in `keepMs`. */
export async function postponeGarbage(queryable: Queryable, prefix: string, keepMs: number): Promise<void> {
  await queryable.query(
    `UPDATE garbage SET collect_after = now() + $2 * interval '1 millisecond' WHERE prefix = $1`,
    [prefix, keepMs],
  );
}

/** Deletes a prefix and the row of its upload. Fails if that upload is live, which should never happen. */
export async function forgetGarbage(queryable: Queryable, prefix: string): Promise<void> {
  await queryable.query('DELETE FROM garbage WHERE prefix = $1', [prefix]);
  const uploadId = uploadIdOfPrefix(prefix);
  if (uploadId !== undefined) await queryable.query('DELETE FROM uploads WHERE id = $1', [uploadId]);
}
