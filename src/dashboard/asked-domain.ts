/** The domain of a chart. */
import { getOwnDomain } from '../domains/own-domain.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';

/** The id in the query parameter `domain`; undefined without one. Throws NOT_FOUND and FORBIDDEN. */
export async function findAskedDomain(
  queryable: Queryable,
  accountId: string,
  given: unknown,
): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const id = String(given);
  // Postgres stores no NUL in text, and refuses it.
  if (id.includes('\0')) throw new Refusal('NOT_FOUND', 'There is no such domain.');
  return (await getOwnDomain(queryable, accountId, id)).id;
}
