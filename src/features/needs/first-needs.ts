/** Finds the most urgent need of each domain of a list. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { wordNeed } from './list-needs.ts';
import type { Need } from './need.ts';
import { findNeeds } from './need-store.ts';

/** Returns the most urgent need of each domain, by the id of the domain. A domain without needs is absent. */
export async function findFirstNeeds(
  queryable: Queryable,
  accountId: string,
  domainIds: readonly string[],
): Promise<Map<string, Need>> {
  const { found } = await findNeeds(queryable, accountId, domainIds, domainIds.length, true);
  return new Map(found.map((one) => [one.domainId, wordNeed(one)]));
}
