/** Finds the account that an operator names. */
import { type Account, findAccount } from '../features/accounts/account-store.ts';
import type { Database } from '../platform/postgres/database.ts';
import { noAccount } from './usage-error.ts';

/** Throws UsageError when there is no such account. */
export async function getAccount(database: Database, id: string): Promise<Account> {
  const account = await findAccount(database, id);
  if (account === undefined) throw noAccount(id);
  return account;
}
