/** The metrics of comparisons between uploads. */
import { CHANGE_KINDS } from '../features/changes/comparison.ts';
import type { ReportComparison } from '../features/changes/work-on-comparison.ts';
import type { ReadCount } from './counts.ts';
import { countBy, exposeGauge, histogramOf, LONG_BUCKETS, type Metrics } from './registry.ts';

/** Returns the function to call after each attempt to compare two uploads. */
export function createChangeMetrics(metrics: Metrics, count: ReadCount<'comparisons'>): ReportComparison {
  const attempts = histogramOf(metrics, 'waypost_comparison_duration_seconds', {
    help: 'Comparisons of an upload with the one that it replaced, by how they ended',
    labelNames: ['outcome'],
    buckets: [0.01, ...LONG_BUCKETS],
  });
  const urls = countBy(
    metrics,
    'waypost_changed_urls_total',
    'change',
    'URLs that comparisons found added, changed or removed',
  );
  exposeGauge(metrics, 'waypost_comparisons_due', {
    help: 'Comparisons that are due or under way; every jobs process reports all of them',
    read: async () => (await count())?.due,
  });
  exposeGauge(metrics, 'waypost_comparisons_oldest_due_seconds', {
    help: 'Time since the upload that has waited longest for its comparison',
    read: async () => (await count())?.oldestSeconds,
  });
  return (outcome, seconds, counts) => {
    attempts.observe({ outcome }, seconds);
    if (counts !== undefined) for (const change of CHANGE_KINDS) urls(change, counts[change]);
  };
}
