/** The metrics of page hosts: the states of their robots.txt, and how checks end. */
import { Counter, Gauge } from 'prom-client';
import { PAGE_HOST_STATES, type PageHostState } from '../features/page-hosts/page-host.ts';
import type { ReadCount } from './counts.ts';
import type { Metrics } from './registry.ts';

/** Returns the function to call after each check. */
export function createPageHostMetrics(
  metrics: Metrics,
  count: ReadCount<'page hosts'>,
): (state: PageHostState) => void {
  new Gauge({
    name: 'waypost_page_hosts',
    help: 'Hosts of pages in sitemaps, by what their robots.txt says; every jobs process reports all of them',
    labelNames: ['state'],
    registers: [metrics],
    async collect() {
      const counts = await count();
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
