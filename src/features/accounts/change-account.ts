/**
 * Creates and changes accounts for an operator, and renames an account for one of its owners. Records each change in the account's audit
 * log.
 */
import type { NewId } from '../../platform/ids.ts';
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import {
  type Account,
  findAccount,
  findAccountByRef,
  insertAccount,
  lockAccount,
  refTaken,
  setSuspended,
  updateAccount,
  type WithAccount,
} from './account-store.ts';
import { type Operator, operatorOf, type PersonActor } from './actor.ts';
import { type AuditAction, insertAuditEvent, type RecordAudit } from './audit-store.ts';
import { asMember, requireOwner } from './change-members.ts';
import type { PlanName } from './plans.ts';

/** The dependencies of the functions that create rows with ids. */
export interface AccountsGround {
  readonly database: Database;
  readonly newId: NewId;
}

/** The members of an account that an operator sets. */
export interface AccountSettings {
  readonly name: string;
  readonly plan: PlanName;
  readonly ref: string | null;
  readonly isSuspended: boolean;
}

export type NewAccount = Pick<AccountSettings, 'name' | 'plan'> & Partial<AccountSettings>;

/** Creates an account. Throws Refusal CONFLICT when another account has the ref. */
export async function registerAccount(
  { database, newId }: AccountsGround,
  operator: Operator,
  wanted: NewAccount,
  onCreated?: WithAccount,
): Promise<Account> {
  return inTransaction(database, async (transaction) => {
    const account = await insert(transaction, newId, operator, wanted);
    if (account === undefined) throw refTaken(wanted.ref);
    await onCreated?.(transaction, account);
    return account;
  });
}

/**
 * Creates the account with this ref, or changes it to the wanted state. Of two calls at once, one creates the account, and the other one
 * changes it.
 */
export async function putAccount(
  { database, newId }: AccountsGround,
  operator: Operator,
  ref: string,
  wanted: Omit<NewAccount, 'ref'>,
): Promise<Account> {
  const { account } = await inTransaction(database, async (transaction) => {
    // Usually the account exists already, so it is read first. An insert that conflicts costs a statement and a transaction id.
    const found = await findAccountByRef(transaction, ref);
    return putAccountIn(transaction, newId, operator, { ref, wanted, found });
  });
  return account;
}

interface PutAccount {
  readonly ref: string;
  readonly wanted: Omit<NewAccount, 'ref'>;
  /** The account with this ref, as it was a moment ago. */
  readonly found: Account | undefined;
}

/** Does what `putAccount` does, in a transaction of the caller. Afterwards the transaction holds the lock of the account. */
export async function putAccountIn(
  transaction: Transaction,
  newId: NewId,
  operator: Operator,
  { ref, wanted, found: foundBefore }: PutAccount,
  record = recordIn(transaction),
): Promise<{ readonly account: Account; readonly isNew: boolean }> {
  for (let found = foundBefore; ; found = await findAccountByRef(transaction, ref)) {
    const account =
      found === undefined
        ? await insert(transaction, newId, operator, { ...wanted, ref }, record)
        : await change(transaction, operator, found.id, wanted, record, ref);
    if (account !== undefined) return { account, isNew: found === undefined };
    // Try again: another call has made or deleted the account meanwhile, or has given its ref to another account.
  }
}

const recordIn =
  (transaction: Transaction): RecordAudit =>
  (actor, entry) =>
    insertAuditEvent(transaction, actor, entry);

/** Changes the given members. Returns undefined when there is no such account. Throws Refusal CONFLICT for a taken ref. */
export function changeAccount(
  database: Database,
  operator: Operator,
  id: string,
  wanted: Partial<AccountSettings>,
): Promise<Account | undefined> {
  return inTransaction(database, (transaction) => change(transaction, operator, id, wanted));
}

async function insert(
  transaction: Transaction,
  newId: NewId,
  operator: Operator,
  { name, plan, ref = null, isSuspended = false }: NewAccount,
  record = recordIn(transaction),
): Promise<Account | undefined> {
  const account = await insertAccount(transaction, { id: newId('account'), name, plan, ref });
  if (account === undefined) return undefined;
  const details = { plan, ...(ref !== null && { ref }) };
  const created = { action: 'account.created', subject: name, details } as const;
  await record(operatorOf(account.id, operator), created);
  return isSuspended ? change(transaction, operator, account.id, { isSuspended }, record) : account;
}

/** Returns undefined when there is no such account. `ref`: also returns undefined when the account has another ref. */
async function change(
  transaction: Transaction,
  operator: Operator,
  id: string,
  wanted: Partial<AccountSettings>,
  recordAudit = recordIn(transaction),
  ref?: string,
): Promise<Account | undefined> {
  if (!(await lockAccount(transaction, id))) return undefined;
  const account = (await findAccount(transaction, id))!;
  if (ref !== undefined && account.ref !== ref) return undefined;
  const { plan = account.plan, isSuspended } = wanted;
  const record = (action: AuditAction, details = {}) =>
    recordAudit(operatorOf(id, operator), { action, subject: account.name, details });
  const fields = (['name', 'ref'] as const).filter(
    (field) => wanted[field] !== undefined && wanted[field] !== account[field],
  );
  if (fields.length === 0 && plan === account.plan && !isOther(account, isSuspended)) return account;
  if (fields.length > 0 || plan !== account.plan) await updateAccount(transaction, id, wanted);
  if (fields.length > 0) await record('account.changed', { fields });
  if (plan !== account.plan) await record('account.plan_changed', { from: account.plan, to: plan });
  if (isOther(account, isSuspended)) {
    await setSuspended(transaction, id, isSuspended!);
    await record(isSuspended ? 'account.suspended' : 'account.resumed');
  }
  return findAccount(transaction, id);
}

/**
 * Gives the account of the person a name. Throws Refusal UNAUTHORIZED if the session has ended meanwhile, and FORBIDDEN unless the person
 * is an owner.
 */
export async function renameAccount(database: Database, person: PersonActor, name: string): Promise<void> {
  await asMember(database, person, async (transaction, self) => {
    requireOwner(self);
    const { name: former } = (await findAccount(transaction, person.accountId))!;
    if (name === former) return;
    await updateAccount(transaction, person.accountId, { name });
    const details = { from: former, to: name };
    await insertAuditEvent(transaction, person, { action: 'account.renamed', subject: name, details });
  });
}

/** Returns whether the suspension changes. A suspended account keeps the time of its suspension. */
function isOther({ suspendedAt }: Account, isSuspended: boolean | undefined): boolean {
  return isSuspended !== undefined && (suspendedAt !== null) !== isSuspended;
}
