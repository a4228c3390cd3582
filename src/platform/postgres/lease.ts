/**
 * A lease gives a row to one process for a time. Its states:
 *
 *   free ──take: a new fence──▶ held ──renew, every quarter of its length──▶ held
 *                                │──release──▶ free
 *                                └──its end passes──▶ free
 *
 * The clock of the database says when a lease ends. A holder names its fence in each change. So a former holder changes nothing, however
 * late it comes, and a holder keeps a lease that has ended until another process takes it. A holder that cannot reach the database stops
 * before the end (`hold-lease.ts`). The fence is a number that rises, or a random id. The SQL of each lease is in its store
 * (docs/decisions/0048).
 */

/** The work is not ours any more: another process may have the lease, or there is nothing left to do. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * SQL: whether a lease can be taken. `until`: the column of its end. No lease is longer than an hour: a lease that ends later was begun by
 * a clock that was ahead.
 */
export const isFree = (until: string) =>
  `coalesce(${until} <= now() OR ${until} > now() + interval '1 hour', true)`;

/** SQL: the end of a lease that begins now. `ms`: its length, or a parameter with it. */
export const leasedFor = (ms: string | number) => `now() + ${ms} * interval '1 millisecond'`;
