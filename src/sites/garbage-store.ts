/** The SQL of `garbage`: what in object storage nothing refers to, or will not for long. */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';
import { UPLOADS_PREFIX, uploadIdOfPrefix } from './site.ts';

/** Lists prefixes for deletion in `keepMs` from now; one that is listed already keeps its time. */
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

/** Takes a prefix off the list. False when it is not on it: then it has been collected, or is being collected. */
export async function rescueFromGarbage(queryable: Queryable, prefix: string): Promise<boolean> {
  const { rowCount } = await queryable.query('DELETE FROM garbage WHERE prefix = $1', [prefix]);
  return rowCount === 1;
}

/** Lists the objects of an upload that was live, as bytes of its account. */
export function addReplacedUpload(queryable: Queryable, uploadId: string, keepMs: number): Promise<void> {
  return addUploads(queryable, 'u.id', uploadId, keepMs);
}

/** Lists the objects of all uploads of a domain, as bytes of its account. */
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

/** An upload that was replaced, or whose domain is deleted, and that is kept though its account keeps too many bytes. */
export interface ExcessUpload {
  readonly prefix: string;
  /** Null when the domain is deleted. */
  readonly domainId: string | null;
  readonly hostname: string | null;
}

/**
 * Of each account what is beyond the bytes that its plan allows (`allowedBytes`, by plan), counted from the newest. What
 * is due within `soonMs` counts, and is not returned.
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

/** Makes replaced uploads due in `delayMs`; until then no site names them any more. */
export async function hastenUploads(
  transaction: Transaction,
  prefixes: readonly string[],
  delayMs: number,
): Promise<void> {
  // In the order in which a collector locks them too.
  await transaction.query(
    `UPDATE garbage SET collect_after = least(collect_after, now() + $2 * interval '1 millisecond')
      WHERE prefix = ANY($1)`,
    [prefixes, delayMs],
  );
  await transaction.query('UPDATE uploads SET withdrawn = true WHERE id = ANY($1)', [
    prefixes.map(uploadIdOfPrefix),
  ]);
}

/** Locks and returns one prefix whose time has come and that no other transaction works on. */
export async function takeDueGarbage(queryable: Queryable): Promise<string | undefined> {
  const { rows } = await queryable.query<{ prefix: string }>(
    'SELECT prefix FROM garbage WHERE collect_after <= now() ORDER BY collect_after LIMIT 1 FOR UPDATE SKIP LOCKED',
  );
  return rows[0]?.prefix;
}

/** Lets a prefix wait for another `keepMs`. */
export async function postponeGarbage(queryable: Queryable, prefix: string, keepMs: number): Promise<void> {
  await queryable.query(
    `UPDATE garbage SET collect_after = now() + $2 * interval '1 millisecond' WHERE prefix = $1`,
    [prefix, keepMs],
  );
}

/** Forgets a prefix and the upload it belongs to. Fails when that upload is live, which it can never be. */
export async function forgetGarbage(queryable: Queryable, prefix: string): Promise<void> {
  await queryable.query('DELETE FROM garbage WHERE prefix = $1', [prefix]);
  const uploadId = uploadIdOfPrefix(prefix);
  if (uploadId !== undefined) await queryable.query('DELETE FROM uploads WHERE id = $1', [uploadId]);
}
