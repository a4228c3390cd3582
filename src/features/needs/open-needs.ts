/** Opens the room for the operation that tells what needs people, and for the first page. */
import { LRUCache } from 'lru-cache';
import { recentResult } from '../../platform/concurrency/recent-result.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import type { PlanName, Plans } from '../accounts/plans.ts';
import { createGetDomain } from '../domains/own-domain.ts';
import { listDomains } from './domain-list-store.ts';
import { findFirstNeeds } from './first-needs.ts';
import { listDomainNeeds, listNeeds } from './list-needs.ts';
import type { Needs } from './need.ts';
import { type OverviewFacts, readOverview } from './overview-store.ts';

export interface OpenNeedsOptions {
  readonly database: Database;
  readonly plans: Plans;
}

export type NeedsRoom = ReturnType<typeof openNeeds>;

/** Callers of an account share an answer for a second, and a slow one for 20 times its duration, as in live-routes.ts. */
const SHARED = { forMs: 1000, restFactor: 20 };
/** The most accounts with a shared answer, at most 50 kB each. */
const MAX_REMEMBERED = 200;

export function openNeeds({ database, plans }: OpenNeedsOptions) {
  const list = createShared<Needs>();
  const facts = createShared<OverviewFacts>();
  return {
    getDomain: createGetDomain(database),
    list: (accountId: string, plan: PlanName): Promise<Needs> =>
      list(`${accountId} ${plan}`, () => listNeeds(database, accountId, plans[plan])),
    readOverview: (accountId: string): Promise<OverviewFacts> =>
      facts(accountId, () => readOverview(database, accountId)),
    ...verbsOn(database, { listOfDomain: listDomainNeeds, findFirst: findFirstNeeds, listDomains }),
  };
}

type Share<Result> = (key: string, read: () => Promise<Result>) => Promise<Result>;

function createShared<Result>(): Share<Result> {
  const known = new LRUCache<string, () => Promise<Result>>({ max: MAX_REMEMBERED });
  return (key, read) => {
    const result = known.get(key) ?? recentResult(read, SHARED);
    known.set(key, result);
    return result();
  };
}
