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
import { type ApiKeyDescription, countKeys, findKey, revokeKey } from './key-store.ts';

export interface CreatedKey extends ApiKeyDescription {
  /** In full. It is stored nowhere. */
  readonly key: string;
}

/** More than an account has clients, few enough to list. Operators may go beyond. */
const MAX_VALID_KEYS = 100;
/** Revoked keys stay listed, so somebody who makes and revokes keys in a loop must find an end. */
const MAX_KEYS_A_DAY = 1000;

/**
 * Throws Refusal UNAUTHORIZED, FORBIDDEN, or CONFLICT when the account has, or made, as many keys as it may.
 */
export async function createKeyAs(
  actor: Actor,
  { database, newId }: { readonly database: Database; readonly newId: NewId },
  { name, expiresAt }: { readonly name: string; readonly expiresAt: Date | null },
): Promise<CreatedKey> {
  const { accountId } = actor;
  return inTransaction(database, async (transaction) => {
    await hold(transaction, actor);
    if (!isOperator(actor)) await refuseTooMany(transaction, accountId);
    const { id, key } = (await createKey(
      transaction,
      newId,
      accountId,
      name,
      expiresAt,
      actor.session?.userId,
    ))!;
    const details = { keyId: id, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) };
    await insertAuditEvent(transaction, actor, { action: 'key.created', subject: name, details });
    return { ...(await findKey(transaction, accountId, id))!, key };
  });
}

/**
 * A key that is already revoked stays so. Throws Refusal UNAUTHORIZED, FORBIDDEN, or NOT_FOUND, also for
 * another account's key.
 */
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

/**
 * Each concurrent change of the account's keys sees the ones before it. A person whose session has ended
 * changes nothing.
 */
async function hold(transaction: Transaction, actor: Actor): Promise<void> {
  if (!isOperator(actor)) return holdCaller(transaction, actor);
  if (!(await lockAccount(transaction, actor.accountId))) throw unauthorized();
}

async function refuseTooMany(transaction: Transaction, accountId: string): Promise<void> {
  const { valid, ofToday } = await countKeys(transaction, accountId);
  if (valid >= MAX_VALID_KEYS) {
    throw new Refusal('CONFLICT', `An account has at most ${MAX_VALID_KEYS} valid keys. Revoke one first.`);
  }
  if (ofToday >= MAX_KEYS_A_DAY) {
    throw new Refusal('CONFLICT', `An account makes at most ${MAX_KEYS_A_DAY} keys in 24 hours. Try later.`);
  }
}
