/** The metrics of comparisons between uploads. */
import { Counter, Gauge, Histogram } from 'prom-client';
import { CHANGE_KINDS } from '../changes/comparison.ts';
import type { DueCounts } from '../changes/due-comparison-store.ts';
import type { ReportComparison } from '../changes/work-on-comparison.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import { LONG_BUCKETS, type Metrics } from './registry.ts';

const COUNT_EVERY_MS = 30_000;

/** Returns what to call for each attempt. */
export function createChangeMetrics(metrics: Metrics, count: () => Promise<DueCounts>): ReportComparison {
  // Without the database there are no values, and the other metrics are still read.
  const recentCount = recentResult(() => count().catch(() => undefined), { forMs: COUNT_EVERY_MS });
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
      this.set((await recentCount())?.due ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'waypost_comparisons_oldest_due_seconds',
    help: 'Time since the upload that has waited longest for its comparison',
    registers,
    async collect() {
      this.set((await recentCount())?.oldestSeconds ?? Number.NaN);
    },
  });
  return (outcome, seconds, counts) => {
    attempts.observe({ outcome }, seconds);
    if (counts !== undefined) for (const change of CHANGE_KINDS) urls.inc({ change }, counts[change]);
  };
}
