/** Creates accounts without checks, for the first sign-in of a person and for the first start of the all-in-one program. */
import type { NewId } from '../../platform/ids.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { insertAccount } from './account-store.ts';
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
