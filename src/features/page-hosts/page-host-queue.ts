/**
 * The queue of page hosts that are due. An account that has PER_ACCOUNT checks under way gets no more places, so hosts that hang delay
 * mostly their own account.
 */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import { type CheckPageHostOptions, checkPageHost } from './check-page-host.ts';
import { type DuePageHost, takeDuePageHosts } from './page-host-store.ts';

/** The most checks at once in a process. Each may hold 500 KiB and a socket. */
const CHECKED_AT_ONCE = 200;
const PER_ACCOUNT = 50;

export function createPageHostQueue(options: CheckPageHostOptions): WorkQueue<DuePageHost> {
  const underWay = new Map<string, number>();
  const count = (accountId: string, more: number) => {
    const now = (underWay.get(accountId) ?? 0) + more;
    if (now === 0) underWay.delete(accountId);
    else underWay.set(accountId, now);
  };
  return {
    name: 'page-hosts.check',
    atOnce: CHECKED_AT_ONCE,
    async take(limit) {
      const busyAccounts = [...underWay].filter(([, n]) => n >= PER_ACCOUNT).map(([accountId]) => accountId);
      return takeDuePageHosts(options.database, { limit, perAccount: PER_ACCOUNT, busyAccounts });
    },
    async work(due, signal) {
      count(due.accountId, 1);
      try {
        await checkPageHost(options, due, signal);
      } finally {
        count(due.accountId, -1);
      }
    },
  };
}
