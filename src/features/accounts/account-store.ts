/** The SQL of accounts. */
import {
  type Queryable,
  slowStatement,
  type Transaction,
  violatedConstraint,
} from '../../platform/postgres/database.ts';
import { deleteInPortions } from '../../platform/postgres/delete-in-portions.ts';
import { allRows, firstRow } from '../../platform/postgres/rows.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { PlanName } from './plans.ts';

export interface Account {
  readonly id: string;
  /** The name of the account at the operator's own systems. */
  readonly ref: string | null;
  readonly name: string;
  readonly plan: PlanName;
  readonly createdAt: Date;
  /** The time of the suspension; null while the account is in use. */
  readonly suspendedAt: Date | null;
}

export type WithAccount = (transaction: Transaction, account: Account) => Promise<unknown>;

const COLUMNS = `id, external_ref AS ref, name, plan, created_at AS "createdAt", suspended_at AS "suspendedAt"`;

/** Inserts the account. Returns undefined if another account has the ref. Waits for a transaction that is inserting the same ref. */
export function insertAccount(
  queryable: Queryable,
  { id, name, plan, ref = null }: Pick<Account, 'id' | 'name' | 'plan'> & Partial<Pick<Account, 'ref'>>,
) {
  return firstRow<Account>(queryable, {
    name: 'insert-account',
    text: `INSERT INTO accounts (id, name, plan, external_ref) VALUES ($1, $2, $3, $4)
           ON CONFLICT (external_ref) WHERE external_ref IS NOT NULL DO NOTHING RETURNING ${COLUMNS}`,
    values: [id, name, plan, ref],
  });
}

export function findAccount(queryable: Queryable, id: string) {
  return firstRow<Account>(queryable, `SELECT ${COLUMNS} FROM accounts WHERE id = $1`, [id]);
}

export function findAccountByRef(queryable: Queryable, ref: string) {
  return firstRow<Account>(queryable, `SELECT ${COLUMNS} FROM accounts WHERE external_ref = $1`, [ref]);
}

/** Finds the accounts with these refs, and locks them in the order of the refs, as `lockAccount` does. */
export function lockAccountsByRef(transaction: Transaction, refs: readonly string[]) {
  return allRows<Account>(
    transaction,
    slowStatement(
      `SELECT ${COLUMNS} FROM accounts WHERE external_ref = ANY($1) ORDER BY external_ref COLLATE "C" FOR NO KEY UPDATE`,
      [refs],
    ),
  );
}

/** The conditions of a list of accounts. An undefined member sets no condition. */
export interface AccountFilter {
  readonly plan?: PlanName | undefined;
  readonly isSuspended?: boolean | undefined;
}

export interface ListedAccount extends Account {
  /**
   * The position of the account in the order of the list. The next page begins after this position, even if the account is deleted by then.
   */
  readonly position: string;
}

/** Lists the first `limit` accounts after a position, the oldest first. */
export function listAccounts(
  queryable: Queryable,
  limit: number,
  after?: string,
  { plan, isSuspended }: AccountFilter = {},
): Promise<ListedAccount[]> {
  const [id, createdAt] = after?.split(' at ') ?? [];
  const values: unknown[] = [limit];
  const given = (value: unknown) => `$${values.push(value)}`;
  // Each filter has an index. Postgres uses the index only if the statement has no conditions for absent filters.
  const conditions = [
    ...(after === undefined ? [] : [`(created_at, id) > (${given(createdAt)}::timestamptz, ${given(id)})`]),
    ...(plan === undefined ? [] : [`plan = ${given(plan)}`]),
    ...(isSuspended === undefined ? [] : [`suspended_at IS ${isSuspended ? 'NOT ' : ''}NULL`]),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')} `;
  return allRows<ListedAccount>(
    queryable,
    `SELECT ${COLUMNS}, id || ' at ' || created_at AS position
       FROM accounts ${where}ORDER BY created_at, id LIMIT $1`,
    values,
  );
}

/** Returns the position of an account in the list of `listAccounts`; undefined when there is no such account. */
export async function findPosition(queryable: Queryable, id: string): Promise<string | undefined> {
  const { rows } = await queryable.query<{ position: string }>(
    `SELECT id || ' at ' || created_at AS position FROM accounts WHERE id = $1`,
    [id],
  );
  return rows[0]?.position;
}

/** Changes the given members of the account. Throws Refusal CONFLICT when another account has the ref. */
export async function updateAccount(
  transaction: Transaction,
  id: string,
  { name, plan, ref }: Partial<Pick<Account, 'name' | 'plan' | 'ref'>>,
): Promise<void> {
  try {
    await transaction.query(
      `UPDATE accounts SET name = coalesce($2, name), plan = coalesce($3, plan),
              external_ref = CASE WHEN $4 THEN $5 ELSE external_ref END WHERE id = $1`,
      [id, name ?? null, plan ?? null, ref !== undefined, ref ?? null],
    );
  } catch (error) {
    throw violatedConstraint(error) === 'accounts_external_ref_is_unique' ? refTaken(ref) : error;
  }
}

export function refTaken(ref: string | null | undefined): Refusal {
  const details = { field: 'ref', value: ref };
  return new Refusal('CONFLICT', `Another account has the ref ${ref}.`, { details });
}

/**
 * Suspends or resumes an account. An account that is suspended already keeps the time of its suspension. Returns undefined when there is no
 * such account.
 */
export function setSuspended(
  queryable: Queryable,
  id: string,
  isSuspended: boolean,
): Promise<Account | undefined> {
  const suspendedAt = isSuspended ? 'coalesce(suspended_at, now())' : 'NULL';
  // The statement may wait, because each publication locks the row of its account.
  return firstRow<Account>(
    queryable,
    slowStatement(`UPDATE accounts SET suspended_at = ${suspendedAt} WHERE id = $1 RETURNING ${COLUMNS}`, [
      id,
    ]),
  );
}

/** The tables in which an account may have hundreds of thousands of rows, and how many rows one statement deletes. */
const HISTORY = { audit_events: 10_000, idempotency_claims: 10_000, webhook_events: 1000 };

/** Deletes the history of an account in portions. One statement for the account and its history could exceed the timeout of a statement. */
export async function deleteHistory(queryable: Queryable, id: string): Promise<void> {
  for (const [table, portion] of Object.entries(HISTORY)) {
    const text = `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE account_id = $1 LIMIT $2))`;
    await deleteInPortions(queryable, text, [id], portion);
  }
}

/** Deletes an account with its keys and domains. First delete the sites of the domains, and call `deleteHistory`. */
export async function deleteAccountRow(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(slowStatement('DELETE FROM idempotency_claims WHERE account_id = $1', [id]));
  await transaction.query(slowStatement('DELETE FROM accounts WHERE id = $1', [id]));
}

/**
 * Locks the account: other publications and new domains of the account wait until the transaction ends. Returns false if the account is
 * gone.
 */
export async function lockAccount(transaction: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    slowStatement('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [id]),
  );
  return rowCount === 1;
}
