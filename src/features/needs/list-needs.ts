/** Lists the needs of an account in words. */
import type { Queryable } from '../../platform/postgres/database.ts';
import type { PlanLimits } from '../accounts/plans.ts';
import type { Found } from './cause.ts';
import { CAUSES } from './causes.ts';
import type { Need, Needs } from './need.ts';
import { findNeeds } from './need-store.ts';
import { findPlanNeeds } from './plan-needs.ts';

const MAX_NEEDS = 100;

/** Lists the needs of the account. The needs of its plan come last: they have no deadline, and can wait. */
export async function listNeeds(queryable: Queryable, accountId: string, plan: PlanLimits): Promise<Needs> {
  const { found, counts } = await findNeeds(queryable, accountId, undefined, MAX_NEEDS);
  const ofPlan = await findPlanNeeds(queryable, accountId, plan);
  return {
    needs: [...found.map(wordNeed), ...ofPlan].slice(0, MAX_NEEDS),
    counts: { ...counts, ...Object.fromEntries(ofPlan.map(({ kind }) => [kind, 1])) },
  };
}

/** Lists the needs of some domains of the account. The needs of its plan are not among them. */
export async function listDomainNeeds(
  queryable: Queryable,
  accountId: string,
  domainIds: readonly string[],
): Promise<Needs> {
  const { found, counts } = await findNeeds(queryable, accountId, domainIds, MAX_NEEDS);
  return { needs: found.map(wordNeed), counts };
}

/** Returns the most urgent need of each domain, by the id of the domain. A domain without needs is absent. */
export async function findFirstNeeds(
  queryable: Queryable,
  accountId: string,
  domainIds: readonly string[],
): Promise<Map<string, Need>> {
  const { found } = await findNeeds(queryable, accountId, domainIds, domainIds.length, true);
  return new Map(found.map((one) => [one.domainId, wordNeed(one)]));
}

export function wordNeed(found: Found<never>): Need {
  const { kind, domainId, hostname, severity, since, deadline } = found;
  const cause = CAUSES.find(({ kinds }) => kinds.includes(kind))!;
  const { sitemapName, uploadId } = cause.about?.(found) ?? { sitemapName: null, uploadId: null };
  return {
    ...{ kind, domain: { id: domainId, hostname }, sitemapName, uploadId },
    ...{ severity, target: cause.target, since, deadline },
    ...cause.word(found),
  };
}
