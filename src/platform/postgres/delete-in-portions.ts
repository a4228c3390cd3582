/** Deletes any number of rows by short statements: each holds few locks, and ends before its deadline. */
import { type Queryable, slowStatement } from './database.ts';

/**
 * Runs a statement again and again, until it deletes fewer than `portion` rows. `portion` is its last parameter, after
 * `values`: the most rows that it deletes.
 */
export async function deleteInPortions(
  queryable: Queryable,
  text: string,
  values: readonly unknown[],
  portion: number,
): Promise<void> {
  for (;;) {
    const { rowCount } = await queryable.query(slowStatement(text, [...values, portion]));
    if (rowCount !== portion) return;
  }
}
