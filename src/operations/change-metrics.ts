/** The metrics of comparisons between uploads. */
import { Counter, Gauge, Histogram } from 'prom-client';
import { CHANGE_KINDS } from '../features/changes/comparison.ts';
import type { ReportComparison } from '../features/changes/work-on-comparison.ts';
import type { ReadCount } from './counts.ts';
import { LONG_BUCKETS, type Metrics, setOrRemove } from './registry.ts';

/** Returns the function to call after each attempt to compare two uploads. */
export function createChangeMetrics(metrics: Metrics, count: ReadCount<'comparisons'>): ReportComparison {
  const registers = [metrics];
  const attempts = new Histogram({
    name: 'waypost_comparison_duration_seconds',
    help: 'Comparisons of an upload with the one that it replaced, by how they ended',
    labelNames: ['outcome'],
    buckets: [0.01, ...LONG_BUCKETS],
    registers,
  });
  const urls = new Counter({
    name: 'waypost_changed_urls_total',
    help: 'URLs that comparisons found added, changed or removed',
    labelNames: ['change'],
    registers,
  });
  new Gauge({
    name: 'waypost_comparisons_due',
    help: 'Comparisons that are due or under way; every jobs process reports all of them',
    registers,
    async collect() {
      setOrRemove(this, (await count())?.due);
    },
  });
  new Gauge({
    name: 'waypost_comparisons_oldest_due_seconds',
    help: 'Time since the upload that has waited longest for its comparison',
    registers,
    async collect() {
      setOrRemove(this, (await count())?.oldestSeconds);
    },
  });
  return (outcome, seconds, counts) => {
    attempts.observe({ outcome }, seconds);
    if (counts !== undefined) for (const change of CHANGE_KINDS) urls.inc({ change }, counts[change]);
  };
}
