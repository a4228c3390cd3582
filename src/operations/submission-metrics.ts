/** The metrics of the submission of changed URLs: how batches end, and how many URLs wait. */
import type { WaitingCounts } from '../features/submission/waiting-store.ts';
import type { ReadCount } from './counts.ts';
import { countBy, exposeGauge, type Metrics } from './registry.ts';

/** Returns the function to call for each request, and for batches that end without a request. */
export function createSubmissionMetrics(
  metrics: Metrics,
  count: ReadCount<'submissions'>,
): (outcome: string, urlCount: number) => void {
  const gauges = {
    batches: ['waypost_indexnow_waiting_batches', 'Batches of changed URLs that wait'],
    urls: ['waypost_indexnow_waiting_urls', 'Changed URLs that wait'],
    unverifiedHosts: ['waypost_indexnow_unverified_hosts', 'Page hosts with waiting URLs and no key file'],
    overdueSeconds: [
      'waypost_indexnow_overdue_seconds',
      'For how long the page host that is due longest has been due',
    ],
  } as const;
  for (const [member, [name, help]] of Object.entries(gauges)) {
    exposeGauge(metrics, name, {
      help: `${help}; every jobs process reports all of them`,
      read: async () => (await count())?.[member as keyof WaitingCounts],
    });
  }
  const batches = countBy(
    metrics,
    'waypost_indexnow_batches_total',
    'outcome',
    'Batches of changed URLs, by what became of them',
  );
  const urls = countBy(
    metrics,
    'waypost_indexnow_urls_total',
    'outcome',
    'Changed URLs, by what became of them',
  );
  return (outcome, urlCount) => {
    batches(outcome);
    urls(outcome, urlCount);
  };
}
