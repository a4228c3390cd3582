/** The metrics of page hosts: the states of their robots.txt, and how checks end. */
import { PAGE_HOST_STATES, type PageHostState } from '../features/page-hosts/page-host.ts';
import type { ReadCount } from './counts.ts';
import { countBy, exposeGauge, type Metrics } from './registry.ts';

/** Returns the function to call after each check. */
export function createPageHostMetrics(
  metrics: Metrics,
  count: ReadCount<'page hosts'>,
): (state: PageHostState) => void {
  exposeGauge(metrics, 'waypost_page_hosts', {
    help: 'Hosts of pages in sitemaps, by what their robots.txt says; every jobs process reports all of them',
    labelNames: ['state'],
    async read() {
      const counts = await count();
      return counts && PAGE_HOST_STATES.map((state) => [{ state }, counts[state] ?? 0] as const);
    },
  });
  return countBy(
    metrics,
    'waypost_page_host_checks_total',
    'outcome',
    'Checks of robots.txt of the hosts of pages, by what they found',
  );
}
