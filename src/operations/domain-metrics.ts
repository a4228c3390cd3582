/** The metrics of domains and of the checks of their DNS records. */
import type { OverdueChecks } from '../features/domains/check-store.ts';
import type { Verdict } from '../features/domains/diagnosis.ts';
import { DOMAIN_STATUSES } from '../features/domains/domain.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import type { ReadCount } from './counts.ts';
import { countBy, exposeGauge, type Metrics } from './registry.ts';

const LOOK_EVERY_MS = 5_000;

/** Returns the function to call after each check. */
export function createDomainMetrics(
  metrics: Metrics,
  count: ReadCount<'domains'>,
  findOverdue: () => Promise<OverdueChecks>,
): (verdict: Verdict) => void {
  let last: OverdueChecks | undefined;
  const recentOverdue = recentResult(
    async () => {
      // If the database is down, the last value stays.
      last = await findOverdue().catch(() => last);
      return last;
    },
    { forMs: LOOK_EVERY_MS },
  );
  exposeGauge(metrics, 'waypost_domains', {
    help: 'Domains by status; every jobs process reports all of them',
    labelNames: ['status'],
    async read() {
      const counts = await count();
      return counts && DOMAIN_STATUSES.map((status) => [{ status }, counts[status] ?? 0] as const);
    },
  });
  exposeGauge(metrics, 'waypost_domain_checks_overdue_seconds', {
    help: 'For how long the longest overdue check of DNS records has been due; doubted: of domains whose last answer was wrong',
    labelNames: ['kind'],
    async read() {
      const overdue = await recentOverdue();
      return overdue && Object.entries(overdue).map(([kind, seconds]) => [{ kind }, seconds] as const);
    },
  });
  return countBy(
    metrics,
    'waypost_domain_checks_total',
    'verdict',
    'Repeated checks of the DNS records of served domains, by verdict; unknown: lookups failed',
  );
}
