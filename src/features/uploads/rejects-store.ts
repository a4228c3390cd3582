/** The SQL of lists of rejected entries. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { firstRow } from '../../platform/postgres/rows.ts';

export interface RejectsList {
  readonly prefix: string;
  readonly parts: number;
}

/**
 * Lets the account read the list for `keepMs`. The objects of the list must be in `garbage`. From now on, their bytes count for the
 * account.
 */
export async function insertRejects(
  queryable: Queryable,
  list: RejectsList & { readonly uploadId: string; readonly accountId: string; readonly gzipBytes: number },
  keepMs: number,
): Promise<void> {
  const { rowCount } = await queryable.query(
    `WITH kept AS (
       UPDATE garbage SET collect_after = now() + $6 * interval '1 millisecond', account_id = $2, bytes = $5
        WHERE prefix = $3 RETURNING prefix
     )
     INSERT INTO rejects (upload_id, account_id, prefix, parts) SELECT $1, $2, prefix, $4 FROM kept`,
    [list.uploadId, list.accountId, list.prefix, list.parts, list.gzipBytes, keepMs],
  );
  if (rowCount !== 1) throw new Error(`the rejects of ${list.uploadId} were collected before they were kept`);
}

export function findRejects(queryable: Queryable, accountId: string, uploadId: string) {
  return firstRow<RejectsList>(
    queryable,
    'SELECT prefix, parts FROM rejects WHERE upload_id = $2 AND account_id = $1',
    [accountId, uploadId],
  );
}
