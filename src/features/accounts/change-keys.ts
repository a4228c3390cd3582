/** Creates and revokes keys for an actor, and records each change in the audit log. */
import type { NewId } from '../../platform/ids.ts';
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockAccount } from './account-store.ts';
import { type Actor, isOperator, type Operator, operatorOf } from './actor.ts';
import { newApiKey } from './api-key.ts';
import { insertAuditEvent, type RecordAudit } from './audit-store.ts';
import type { AccountsGround } from './change-account.ts';
import { holdCaller } from './hold-caller.ts';
import {
  type ApiKeyDescription,
  countKeys,
  findAccountOfKey,
  findKey,
  insertKey,
  type NewKey,
  revokeKey,
} from './key-store.ts';

export interface CreatedKey extends ApiKeyDescription {
  /** The full key, which is stored nowhere. */
  readonly key: string;
}

/** The maximum number of valid keys of an account: enough for one per client, and few enough to list. Operators may exceed this number. */
const MAX_VALID_KEYS = 100;
/**
 * The most new keys a day. Revoked keys stay listed, so a script that makes and revokes keys in a loop must be stopped. Operators may
 * exceed this number.
 */
const MAX_KEYS_A_DAY = 1000;

/** `scope`: the caller has checked that the domains of the scope belong to the account. */
export type WantedKey = Pick<NewKey, 'name' | 'expiresAt' | 'scope' | 'endsWithCreator'>;

/**
 * Creates a key. Throws Refusal UNAUTHORIZED, FORBIDDEN, or CONFLICT when the account has too many keys or has made too many. For an
 * operator, throws NOT_FOUND when there is no such account.
 */
export async function createKeyAs(
  { database, newId }: AccountsGround,
  actor: Actor,
  wanted: WantedKey,
  onCreated?: (transaction: Transaction, key: CreatedKey) => Promise<unknown>,
): Promise<CreatedKey> {
  const { accountId } = actor;
  return inTransaction(database, async (transaction) => {
    await hold(transaction, actor);
    if (!isOperator(actor)) await refuseTooMany(transaction, accountId);
    const { id, key } = await addKey(transaction, newId, actor, wanted);
    const created = { ...(await findKey(transaction, accountId, id))!, key };
    await onCreated?.(transaction, created);
    return created;
  });
}

/** Creates a key in a transaction that holds the account of the actor. */
export async function addKey(
  transaction: Transaction,
  newId: NewId,
  actor: Actor,
  { name, expiresAt, scope = null, endsWithCreator = false }: WantedKey,
  record: RecordAudit = (by, entry) => insertAuditEvent(transaction, by, entry),
): Promise<{ readonly id: string; readonly key: string }> {
  const [id, key] = [newId('key'), newApiKey()];
  const { accountId, session } = actor;
  const creatorId = session?.userId ?? null;
  await insertKey(transaction, { id, accountId, name, key, expiresAt, creatorId, scope, endsWithCreator });
  const details = {
    ...{ keyId: id, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) },
    ...{ ...(scope && { scope }), ...(endsWithCreator && { endsWithCreator }) },
  };
  await record(actor, { action: 'key.created', subject: name, details });
  return { id, key };
}

/** Revokes a key; a second call changes nothing. Throws Refusal UNAUTHORIZED, FORBIDDEN, or NOT_FOUND (also for another account's key). */
export async function revokeKeyAs(database: Database, actor: Actor, id: string): Promise<ApiKeyDescription> {
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

/** Finds a key of any account. Throws Refusal NOT_FOUND. */
export async function getAnyKey(database: Database, id: string): Promise<ApiKeyDescription> {
  const accountId = await findAccountOfKey(database, id);
  const key = accountId && (await findKey(database, accountId, id));
  if (!key) throw new Refusal('NOT_FOUND', 'There is no such key.');
  return key;
}

/** Revokes a key of any account for an operator; a second call changes nothing. Throws Refusal NOT_FOUND. */
export async function revokeAnyKey(
  database: Database,
  operator: Operator,
  id: string,
): Promise<ApiKeyDescription & { readonly accountId: string }> {
  const accountId = await findAccountOfKey(database, id);
  if (accountId === undefined) throw new Refusal('NOT_FOUND', 'There is no such key.');
  return { ...(await revokeKeyAs(database, operatorOf(accountId, operator), id)), accountId };
}

/**
 * Locks the account, so that each concurrent change of its keys sees the changes before it. Throws as `holdCaller` does. For an operator,
 * throws only Refusal NOT_FOUND, when there is no such account.
 */
async function hold(transaction: Transaction, actor: Actor): Promise<void> {
  if (!isOperator(actor)) return holdCaller(transaction, actor);
  if (!(await lockAccount(transaction, actor.accountId)))
    throw new Refusal('NOT_FOUND', 'There is no such account.');
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
