/** The SQL of `garbage`: what in object storage nothing refers to, or will not for long. */
import type { Queryable } from '../platform/database.ts';
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

/** Lists the objects of all uploads of a domain. */
export async function addUploadsOfDomain(
  queryable: Queryable,
  domainId: string,
  keepMs: number,
): Promise<void> {
  await queryable.query(
    `INSERT INTO garbage (prefix, collect_after)
     SELECT $3 || id || '/', now() + $2 * interval '1 millisecond' FROM uploads WHERE domain_id = $1
     ON CONFLICT DO NOTHING`,
    [domainId, keepMs, UPLOADS_PREFIX],
  );
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
