/** Creates keys without checks. */
import { newApiKey } from '../../src/features/accounts/api-key.ts';
import { insertKey, type NewKey } from '../../src/features/accounts/key-store.ts';
import type { NewId } from '../../src/platform/ids.ts';
import type { Queryable } from '../../src/platform/postgres/database.ts';

type Limits = Partial<Pick<NewKey, 'expiresAt' | 'scope'>>;

/** Creates a key of an account, as an operator does. */
export async function createKey(
  queryable: Queryable,
  newId: NewId,
  accountId: string,
  name: string,
  { expiresAt = null, ...limits }: Limits = {},
): Promise<{ readonly id: string; readonly key: string }> {
  const id = newId('key');
  const key = newApiKey();
  await insertKey(queryable, { id, accountId, name, key, expiresAt, creatorId: null, ...limits });
  return { id, key };
}
