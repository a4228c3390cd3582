/** The metrics of page hosts: what their robots.txt says, and how checks end. */
import { Counter, Gauge } from 'prom-client';
import { PAGE_HOST_STATES, type PageHostState } from '../page-hosts/page-host.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import type { Metrics } from './registry.ts';

/** The count reads the whole table. */
const COUNT_EVERY_MS = 30_000;

/** Returns what to call after each check. */
export function createPageHostMetrics(
  metrics: Metrics,
  count: () => Promise<Partial<Record<PageHostState, number>>>,
): (state: PageHostState) => void {
  // Without the database there are no values, and the other metrics are still read.
  const recentCount = recentResult(() => count().catch(() => undefined), { forMs: COUNT_EVERY_MS });
  new Gauge({
    name: 'waypost_page_hosts',
    help: 'Hosts of pages in sitemaps, by what their robots.txt says; every jobs process reports all of them',
    labelNames: ['state'],
    registers: [metrics],
    async collect() {
      const counts = await recentCount();
      this.reset();
      if (counts === undefined) return;
      for (const state of PAGE_HOST_STATES) this.set({ state }, counts[state] ?? 0);
    },
  });
  const checks = new Counter({
    name: 'waypost_page_host_checks_total',
    help: 'Checks of robots.txt of the hosts of pages, by what they found',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  return (outcome) => checks.inc({ outcome });
}
