/** The SQL of accounts. */
import { type Queryable, slowStatement, type Transaction } from '../platform/postgres/database.ts';
import type { PlanName } from './plans.ts';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly createdAt: Date;
}

const COLUMNS = 'id, name, plan, created_at AS "createdAt"';

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

export async function listAccounts(queryable: Queryable): Promise<Account[]> {
  const { rows } = await queryable.query<Account>(`SELECT ${COLUMNS} FROM accounts ORDER BY created_at, id`);
  return rows;
}

/** Returns false when there is no such account. */
export async function setPlan(queryable: Queryable, id: string, plan: PlanName): Promise<boolean> {
  // Publications of the account hold its row, one after the other.
  const { rowCount } = await queryable.query(
    slowStatement('UPDATE accounts SET plan = $2 WHERE id = $1', [id, plan]),
  );
  return rowCount === 1;
}

/** Excludes other publishers of the account, and other inserts of its domains, until the transaction ends. */
export async function lockAccount(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(slowStatement('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [id]));
}
