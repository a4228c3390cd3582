/** The metrics of domains and of the checks of their DNS records. */
import { Counter, Gauge } from 'prom-client';
import type { DomainCounts } from '../domains/check-store.ts';
import type { Verdict } from '../domains/diagnosis.ts';
import { DOMAIN_STATUSES } from '../domains/domain.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import type { Metrics } from './registry.ts';

/** The count reads the whole table. */
const COUNT_EVERY_MS = 30_000;

/** Returns what to call after each check. */
export function createDomainMetrics(
  metrics: Metrics,
  count: () => Promise<DomainCounts>,
): (verdict: Verdict) => void {
  // Without the database there are no values, and the other metrics are still read.
  const recentCount = recentResult(() => count().catch(() => undefined), { forMs: COUNT_EVERY_MS });
  new Gauge({
    name: 'waypost_domains',
    help: 'Domains by status; every jobs process reports all of them',
    labelNames: ['status'],
    registers: [metrics],
    async collect() {
      const counts = await recentCount();
      this.reset();
      if (counts === undefined) return;
      for (const status of DOMAIN_STATUSES) this.set({ status }, counts.byStatus[status] ?? 0);
    },
  });
  new Gauge({
    name: 'waypost_domain_checks_overdue_seconds',
    help: 'For how long the longest overdue check of DNS records has been due',
    registers: [metrics],
    async collect() {
      this.set((await recentCount())?.overdueSeconds ?? Number.NaN);
    },
  });
  const checks = new Counter({
    name: 'waypost_domain_checks_total',
    help: 'Repeated checks of the DNS records of served domains, by verdict; unknown: lookups failed',
    labelNames: ['verdict'],
    registers: [metrics],
  });
  return (verdict) => checks.inc({ verdict });
}
