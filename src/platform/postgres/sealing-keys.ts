/** Finds the keys that sealed the secrets of a table. */
import type { Queryable } from './database.ts';

/**
 * Lists the ids of all keys that have sealed a secret of a column (`platform/key-ring.ts`). Reads one row for each id, by an index of
 * `(column->>'keyId')`. The index may cover only the rows with a secret.
 */
export async function listSealingKeys(
  queryable: Queryable,
  table: string,
  column: string,
): Promise<string[]> {
  const next = (after: string) =>
    `SELECT ${column}->>'keyId' FROM ${table} WHERE ${column} IS NOT NULL AND ${column}->>'keyId' ${after} ORDER BY ${column}->>'keyId' LIMIT 1`;
  const { rows } = await queryable.query<{ id: string }>(
    `WITH RECURSIVE ids (id) AS (
       (${next('IS NOT NULL')}) UNION ALL SELECT (${next('> ids.id')}) FROM ids WHERE id IS NOT NULL
     )
     SELECT id FROM ids WHERE id IS NOT NULL`,
  );
  return rows.map(({ id }) => id);
}
