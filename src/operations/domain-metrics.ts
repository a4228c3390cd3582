/** The metrics of domains and of the checks of their DNS records. */
import { Counter, Gauge } from 'prom-client';
import type { OverdueChecks } from '../features/domains/check-store.ts';
import type { Verdict } from '../features/domains/diagnosis.ts';
import { DOMAIN_STATUSES } from '../features/domains/domain.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import type { ReadCount } from './counts.ts';
import type { Metrics } from './registry.ts';

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
      // Without the database, the last value stays.
      last = await findOverdue().catch(() => last);
      return last;
    },
    { forMs: LOOK_EVERY_MS },
  );
  new Gauge({
    name: 'waypost_domains',
    help: 'Domains by status; every jobs process reports all of them',
    labelNames: ['status'],
    registers: [metrics],
    async collect() {
      const counts = await count();
      this.reset();
      if (counts === undefined) return;
      for (const status of DOMAIN_STATUSES) this.set({ status }, counts[status] ?? 0);
    },
  });
  new Gauge({
    name: 'waypost_domain_checks_overdue_seconds',
    help: 'For how long the longest overdue check of DNS records has been due; doubted: of domains whose last answer was wrong',
    labelNames: ['kind'],
    registers: [metrics],
    async collect() {
      const overdue = await recentOverdue();
      this.reset();
      if (overdue === undefined) return;
      for (const [kind, seconds] of Object.entries(overdue)) this.set({ kind }, seconds);
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
