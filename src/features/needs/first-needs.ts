/** The first need of each of some domains. */
import type { Queryable } from '../../platform/postgres/database.ts';
import { wordNeed } from './list-needs.ts';
import type { Need } from './need.ts';
import { findNeeds } from './need-store.ts';

/** Finds the first need of each domain. A domain may have as many needs as it has sitemaps and causes. */
export async function findFirstNeeds(
  queryable: Queryable,
  accountId: string,
  domainIds: readonly string[],
): Promise<Map<string, Need>> {
  const { found } = await findNeeds(queryable, accountId, domainIds, domainIds.length, true);
  return new Map(found.map((one) => [one.domainId, wordNeed(one)]));
}
