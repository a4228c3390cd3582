/**
 * Statements that look up many things at once. Each thing that is asked for has its number `n`, from 1 on, and each row that is
 * found has the number of what was asked.
 *
 * Two hazards of prepared statements are met here. Without the inner SELECT, Postgres sees how many are asked, finds a plan
 * for a few of them cheaper than one for any number, and so makes a plan each time, which costs more than the look-ups. And the
 * look-up itself belongs into a LATERAL subquery with a LIMIT: that is one step into an index for each of them, whatever
 * Postgres believes about their number and the table.
 */

/** A row that answers the n-th. */
export interface Asked {
  readonly n: number;
}

export const EACH_OF_BYTES = 'unnest((SELECT $1::bytea[])) WITH ORDINALITY';
export const EACH_OF_TEXT_PAIRS = 'unnest((SELECT $1::text[]), (SELECT $2::text[])) WITH ORDINALITY';

/** Undefined for what was not found. */
export function inOrder<Row extends Asked>(
  asked: number,
  rows: readonly Row[],
): readonly (Omit<Row, 'n'> | undefined)[] {
  const found = Array<Omit<Row, 'n'> | undefined>(asked).fill(undefined);
  for (const { n, ...row } of rows) found[n - 1] = row;
  return found;
}
