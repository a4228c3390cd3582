/**
 * Statements that look up many things at once. Each thing has a number `n`, from 1 on. Each row of the result has the number of its thing.
 *
 * These statements are prepared, and have two hazards:
 *
 * - If Postgres sees the number of things, a plan for this number seems cheaper to it than a general plan. So it plans each time anew,
 *   and the planning costs more than the look-ups. The SELECT inside `unnest` hides the number.
 * - If Postgres estimates many things, it may read the whole table. So put the look-up into a LATERAL subquery with a LIMIT. Then each thing
 *   is one step into an index, whatever Postgres estimates.
 */

/** A row for the n-th thing. */
export interface Asked {
  readonly n: number;
}

export const EACH_OF_BYTES = 'unnest((SELECT $1::bytea[])) WITH ORDINALITY';
export const EACH_OF_TEXT_PAIRS = 'unnest((SELECT $1::text[]), (SELECT $2::text[])) WITH ORDINALITY';

/** Returns a row for each thing, and undefined for a thing that was not found. */
export function inOrder<Row extends Asked>(
  asked: number,
  rows: readonly Row[],
): readonly (Omit<Row, 'n'> | undefined)[] {
  const found = Array<Omit<Row, 'n'> | undefined>(asked).fill(undefined);
  for (const { n, ...row } of rows) found[n - 1] = row;
  return found;
}
