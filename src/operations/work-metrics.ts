/** Exposes the age of the oldest due work in each queue. A queue can stand still without a failure. */
import type { ReadCount } from './counts.ts';
import { exposeGauge, type Metrics } from './registry.ts';

export function createWorkMetrics(metrics: Metrics, count: ReadCount<'work'>): void {
  exposeGauge(metrics, {
    name: 'waypost_work_overdue_seconds',
    help: 'For how long the oldest due work of a kind has waited; every jobs process reports all of it',
    labelNames: ['work'],
    async read() {
      const overdue = await count();
      return overdue && Object.entries(overdue).map(([work, seconds]) => [{ work }, seconds] as const);
    },
  });
}
