/** Opens the room for the operations that list needs, and for the first page. */
import { CoalescedCalls } from '../../platform/concurrency/coalesced-calls.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import type { PlanName, Plans } from '../accounts/plans.ts';
import { createGetDomain } from '../domains/own-domain.ts';
import { listDomains } from './domain-list-store.ts';
import { findFirstNeeds, listDomainNeeds, listNeeds } from './list-needs.ts';
import type { Needs } from './need.ts';
import { type OverviewFacts, readOverview } from './overview-store.ts';

export interface OpenNeedsOptions {
  readonly database: Database;
  readonly plans: Plans;
}

export type NeedsRoom = ReturnType<typeof openNeeds>;

export function openNeeds({ database, plans }: OpenNeedsOptions) {
  const needs = new CoalescedCalls<Needs>();
  const facts = new CoalescedCalls<OverviewFacts>();
  return {
    getDomain: createGetDomain(database),
    /**
     * Lists the needs of the account. Callers that come while a read is under way share the next read, so no answer is older than its
     * request.
     */
    list: (accountId: string, plan: PlanName) =>
      needs.run(`${accountId} ${plan}`, (begin) => {
        begin();
        return listNeeds(database, accountId, plans[plan]);
      }),
    readOverview: (accountId: string) =>
      facts.run(accountId, (begin) => {
        begin();
        return readOverview(database, accountId);
      }),
    ...verbsOn(database, { listOfDomains: listDomainNeeds, findFirst: findFirstNeeds, listDomains }),
  };
}
