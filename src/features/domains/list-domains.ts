/** Lists the domains of an account, page by page. */
import { CoalescedCalls } from '../../platform/concurrency/coalesced-calls.ts';
import { withinDeadline } from '../../platform/concurrency/deadline.ts';
import { type Database, statementTimeoutMs } from '../../platform/postgres/database.ts';
import type { DomainSummary } from './domain.ts';
import { listDomainSummaries } from './domain-store.ts';

/**
 * Creates a `listDomainSummaries` whose concurrent callers may share the rows. Identical reads that come during a read share the next read,
 * so a page is never older than its request.
 */
export function createListDomains(database: Database) {
  const reads = new CoalescedCalls<readonly DomainSummary[]>();
  const timeoutMs = statementTimeoutMs(database);
  return (
    accountId: string,
    limit: number,
    before: number | undefined,
    ids: readonly string[] | null = null,
  ) => {
    const page = reads.run(`${accountId} ${limit} ${before} ${ids ?? ''}`, (begin) => {
      begin();
      return listDomainSummaries(database, accountId, limit, before, ids);
    });
    // A caller waits at most as long as one statement may take.
    return withinDeadline(page, timeoutMs);
  };
}
