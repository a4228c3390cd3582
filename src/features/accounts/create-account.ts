/**
 * Creates accounts without checks, for the first sign-in of a person and for the first start of the all-in-one program. Creates keys
 * without checks, for tests.
 */
import type { NewId } from '../../platform/ids.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { findAccount, insertAccount } from './account-store.ts';
import { newApiKey } from './api-key.ts';
import { insertKey, type NewKey } from './key-store.ts';
import type { PlanName } from './plans.ts';

export async function createAccount(
  queryable: Queryable,
  newId: NewId,
  name: string,
  plan: PlanName,
): Promise<string> {
  const id = newId('account');
  await insertAccount(queryable, { id, name, plan });
  return id;
}

/**
 * Creates a key and returns it; the database keeps only its hash. Returns undefined when there is no such account. `expiresAt`: null for a
 * key that does not expire. `creatorId`: the user who makes the key; null for the operator.
 */
export async function createKey(
  queryable: Queryable,
  newId: NewId,
  accountId: string,
  name: string,
  expiresAt: Date | null = null,
  creatorId: string | null = null,
  limits: Pick<NewKey, 'scope' | 'endsWithCreator'> = {},
): Promise<{ id: string; key: string } | undefined> {
  if ((await findAccount(queryable, accountId)) === undefined) return undefined;
  const id = newId('key');
  const key = newApiKey();
  await insertKey(queryable, { id, accountId, name, key, expiresAt, creatorId, ...limits });
  return { id, key };
}
