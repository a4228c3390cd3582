/** The SQL of accounts. */
import { type Queryable, slowStatement, type Transaction } from '../../platform/postgres/database.ts';
import type { PlanName } from './plans.ts';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly createdAt: Date;
  /** The time of the suspension; null while the account is in use. */
  readonly suspendedAt: Date | null;
}

const COLUMNS = 'id, name, plan, created_at AS "createdAt", suspended_at AS "suspendedAt"';

export async function insertAccount(
  queryable: Queryable,
  account: Pick<Account, 'id' | 'name' | 'plan'>,
): Promise<void> {
  await queryable.query('INSERT INTO accounts (id, name, plan) VALUES ($1, $2, $3)', [
    account.id,
    account.name,
    account.plan,
  ]);
}

export async function findAccount(queryable: Queryable, id: string): Promise<Account | undefined> {
  const { rows } = await queryable.query<Account>(`SELECT ${COLUMNS} FROM accounts WHERE id = $1`, [id]);
  return rows[0];
}

/** Lists the first `limit` accounts after the account `after`, the oldest first. Lists none if `after` does not exist. */
export async function listAccounts(
  queryable: Queryable,
  limit: number,
  after: string | undefined,
): Promise<Account[]> {
  const { rows } = await queryable.query<Account>(
    `SELECT ${COLUMNS} FROM accounts
      WHERE $2::text IS NULL OR (created_at, id) > (SELECT created_at, id FROM accounts WHERE id = $2)
      ORDER BY created_at, id LIMIT $1`,
    [limit, after ?? null],
  );
  return rows;
}

/** Puts the account on a plan. Returns false when there is no such account. */
export async function setPlan(queryable: Queryable, id: string, plan: PlanName): Promise<boolean> {
  // The statement may wait, because each publication locks the row of its account.
  const { rowCount } = await queryable.query(
    slowStatement('UPDATE accounts SET plan = $2 WHERE id = $1', [id, plan]),
  );
  return rowCount === 1;
}

/** Suspends or resumes an account. A suspended account keeps its time. Returns undefined when there is no such account. */
export async function setSuspended(
  queryable: Queryable,
  id: string,
  isSuspended: boolean,
): Promise<Account | undefined> {
  const suspendedAt = isSuspended ? 'coalesce(suspended_at, now())' : 'NULL';
  const { rows } = await queryable.query<Account>(
    // The statement may wait, because each publication locks the row of its account.
    slowStatement(`UPDATE accounts SET suspended_at = ${suspendedAt} WHERE id = $1 RETURNING ${COLUMNS}`, [
      id,
    ]),
  );
  return rows[0];
}

/** Deletes an account with its keys and domains. Delete the sites of the domains first. */
export async function deleteAccountRow(transaction: Transaction, id: string): Promise<void> {
  await transaction.query('DELETE FROM accounts WHERE id = $1', [id]);
}

/** Excludes other publishers and new domains of the account until the transaction ends. Returns false if the account is gone. */
export async function lockAccount(transaction: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query(
    slowStatement('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [id]),
  );
  return rowCount === 1;
}
