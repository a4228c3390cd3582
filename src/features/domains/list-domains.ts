/** Lists the domains of an account, page by page. */
import { CoalescedCalls } from '../../platform/concurrency/coalesced-calls.ts';
import { withinDeadline } from '../../platform/concurrency/deadline.ts';
import { type Database, statementTimeoutMs } from '../../platform/postgres/database.ts';
import type { DomainSummary } from './domain.ts';
import { listDomainSummaries } from './domain-store.ts';

/** Like `listDomainSummaries`, but concurrent callers may share the rows. */
export type ListDomains = (
  accountId: string,
  limit: number,
  before: number | undefined,
  ids?: readonly string[] | null,
) => Promise<readonly DomainSummary[]>;

/** Identical reads that come while one is under way share the next one, so a page is never older than its request. */
export function createListDomains(database: Database): ListDomains {
  const reads = new CoalescedCalls<readonly DomainSummary[]>();
  const timeoutMs = statementTimeoutMs(database);
  return (accountId, limit, before, ids = null) => {
    const page = reads.run(`${accountId} ${limit} ${before} ${ids ?? ''}`, (begin) => {
      begin();
      return listDomainSummaries(database, accountId, limit, before, ids);
    });
    // A caller waits no longer than for a statement of its own.
    return withinDeadline(page, timeoutMs);
  };
}
