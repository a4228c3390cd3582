/** The metrics of publishing, jobs and garbage collection. */
import { Counter, Histogram } from 'prom-client';
import { LONG_BUCKETS, type Metrics, SHORT_BUCKETS } from './registry.ts';

const PUBLISH_DELAY = 'waypost_publish_delay_seconds';

/**
 * `seconds`: from the change in the database to the written site. The API and the jobs of one process share the metric.
 */
export function createPublishMetrics(metrics: Metrics): (seconds: number) => void {
  const existing = metrics.getSingleMetric(PUBLISH_DELAY) as Histogram | undefined;
  const delays =
    existing ??
    new Histogram({
      name: PUBLISH_DELAY,
      help: 'Time from the commit of a change to the site that shows it',
      buckets: [...SHORT_BUCKETS, ...LONG_BUCKETS.filter((bound) => bound > 10)],
      registers: [metrics],
    });
  return (seconds) => delays.observe(seconds);
}

export function createJobMetrics(metrics: Metrics) {
  const jobs = new Histogram({
    name: 'waypost_job_duration_seconds',
    help: 'Duration of job attempts; a failed attempt is tried again',
    // The label cannot be `job`: Prometheus gives this label to each target.
    labelNames: ['name', 'outcome'],
    buckets: [0.01, ...LONG_BUCKETS],
    registers: [metrics],
  });
  const collected = new Counter({
    name: 'waypost_garbage_collected_objects_total',
    help: 'Unreferenced objects that were deleted',
    registers: [metrics],
  });
  return {
    attempted: (job: string, outcome: 'done' | 'failed', seconds: number) =>
      jobs.observe({ name: job, outcome }, seconds),
    collected: (objects: number) => collected.inc(objects),
  };
}
