/** Changes an account for the operator, and records the change in the account's audit log. */
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { type Account, findAccount, lockAccount, setPlan, setSuspended } from './account-store.ts';
import { operatorOf } from './actor.ts';
import { type AuditEntry, insertAuditEvent } from './audit-store.ts';
import type { PlanName } from './plans.ts';

/** Puts the account on a plan. Returns false when there is no such account. */
export async function changePlan(database: Database, id: string, plan: PlanName): Promise<boolean> {
  const changed = await changeAccount(database, id, async (transaction, account) => {
    if (account.plan === plan) return undefined;
    await setPlan(transaction, id, plan);
    return { action: 'account.plan_changed', details: { from: account.plan, to: plan } };
  });
  return changed !== undefined;
}

/** Suspends or resumes an account. A suspended account keeps its time. Returns undefined when there is no such account. */
export function changeSuspension(
  database: Database,
  id: string,
  isSuspended: boolean,
): Promise<Account | undefined> {
  return changeAccount(database, id, async (transaction, account) => {
    if ((account.suspendedAt !== null) === isSuspended) return undefined;
    await setSuspended(transaction, id, isSuspended);
    return { action: isSuspended ? 'account.suspended' : 'account.resumed' };
  });
}

/** Runs `change`, which returns undefined if it has changed nothing. */
async function changeAccount(
  database: Database,
  id: string,
  change: (transaction: Transaction, account: Account) => Promise<Omit<AuditEntry, 'subject'> | undefined>,
): Promise<Account | undefined> {
  return inTransaction(database, async (transaction) => {
    if (!(await lockAccount(transaction, id))) return undefined;
    const account = (await findAccount(transaction, id))!;
    const entry = await change(transaction, account);
    if (entry === undefined) return account;
    await insertAuditEvent(transaction, operatorOf(id), { ...entry, subject: account.name });
    return findAccount(transaction, id);
  });
}
