/** Creates and revokes keys for somebody, and says so in the audit log. */
import type { NewId } from '../platform/ids.ts';
import { type Database, inTransaction, type Transaction } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { lockAccount } from './account-store.ts';
import { type Actor, isOperator } from './actor.ts';
import { unauthorized } from './api-key.ts';
import { insertAuditEvent } from './audit-store.ts';
import { createKey } from './create-account.ts';
import { holdCaller } from './hold-caller.ts';
import { type ApiKeyDescription, countValidKeys, findKey, revokeKey } from './key-store.ts';

export interface CreatedKey extends ApiKeyDescription {
  /** In full. It is stored nowhere. */
  readonly key: string;
}

/** More than an account has clients, few enough to list. Operators may go beyond. */
const MAX_VALID_KEYS = 100;

/** Throws Refusal UNAUTHORIZED, FORBIDDEN, or CONFLICT when the account has as many keys as it may have. */
export async function createKeyAs(
  actor: Actor,
  { database, newId }: { readonly database: Database; readonly newId: NewId },
  { name, expiresAt }: { readonly name: string; readonly expiresAt: Date | null },
): Promise<CreatedKey> {
  const { accountId } = actor;
  return inTransaction(database, async (transaction) => {
    await hold(transaction, actor);
    const isFull = (await countValidKeys(transaction, accountId)) >= MAX_VALID_KEYS;
    if (isFull && !isOperator(actor)) throw tooManyKeys();
    const { id, key } = (await createKey(transaction, newId, accountId, name, expiresAt))!;
    const details = { keyId: id, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) };
    await insertAuditEvent(transaction, actor, { action: 'key.created', subject: name, details });
    return { ...(await findKey(transaction, accountId, id))!, key };
  });
}

/** A key that is already revoked stays so. Throws Refusal UNAUTHORIZED, FORBIDDEN, or NOT_FOUND, also for another account's key. */
export async function revokeKeyAs(actor: Actor, database: Database, id: string): Promise<ApiKeyDescription> {
  const { accountId } = actor;
  return inTransaction(database, async (transaction) => {
    await hold(transaction, actor);
    const before = await findKey(transaction, accountId, id);
    if (before === undefined) throw new Refusal('NOT_FOUND', 'There is no such key.');
    if (before.state === 'revoked') return before;
    await revokeKey(transaction, id);
    const event = { subject: before.name, details: { keyId: id } };
    await insertAuditEvent(transaction, actor, { action: 'key.revoked', ...event });
    return (await findKey(transaction, accountId, id))!;
  });
}

/** Each concurrent change of the account's keys sees the ones before it. A person whose session has ended changes nothing. */
async function hold(transaction: Transaction, actor: Actor): Promise<void> {
  if (!isOperator(actor)) return holdCaller(transaction, actor);
  if (!(await lockAccount(transaction, actor.accountId))) throw unauthorized();
}

function tooManyKeys(): Refusal {
  return new Refusal('CONFLICT', `An account has at most ${MAX_VALID_KEYS} valid keys. Revoke one first.`);
}
