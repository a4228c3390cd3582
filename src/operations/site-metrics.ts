/** The metrics of publishing, jobs and garbage collection. */
import { Counter, Histogram } from 'prom-client';
import type { ReportJob } from '../core/jobs/job-tasks.ts';
import { LONG_BUCKETS, type Metrics, SHORT_BUCKETS } from './registry.ts';

const PUBLISH_DELAY = 'waypost_publish_delay_seconds';
const JOB_DURATION = 'waypost_job_duration_seconds';

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

/** The API and the jobs of one process share the metric. */
export function createJobReport(metrics: Metrics): ReportJob {
  const existing = metrics.getSingleMetric(JOB_DURATION) as Histogram | undefined;
  const jobs =
    existing ??
    new Histogram({
      name: JOB_DURATION,
      help: 'Duration of job attempts; a failed attempt is tried again',
      // The label cannot be `job`: Prometheus gives this label to each target.
      labelNames: ['name', 'outcome'],
      buckets: [0.01, ...LONG_BUCKETS],
      registers: [metrics],
    });
  return (name, outcome, seconds) => jobs.observe({ name, outcome }, seconds);
}

/** Returns the report of garbage collections. */
export function createGarbageMetrics(metrics: Metrics): (objects: number) => void {
  const collected = new Counter({
    name: 'waypost_garbage_collected_objects_total',
    help: 'Unreferenced objects that were deleted',
    registers: [metrics],
  });
  return (objects) => collected.inc(objects);
}
