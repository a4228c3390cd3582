/** The metrics of publishing, jobs and garbage collection. */
import { Counter } from 'prom-client';
import type { ReportJob } from '../core/jobs/job-tasks.ts';
import { histogramOf, LONG_BUCKETS, type Metrics, SHORT_BUCKETS } from './registry.ts';

/** Returns the function to call after each publication, with the seconds from the commit of the change to the written site. */
export function createPublishMetrics(metrics: Metrics): (seconds: number) => void {
  const delays = histogramOf(metrics, 'waypost_publish_delay_seconds', {
    help: 'Time from the commit of a change to the site that shows it',
    buckets: [...SHORT_BUCKETS, ...LONG_BUCKETS.filter((bound) => bound > 10)],
  });
  return (seconds) => delays.observe(seconds);
}

export function createJobReport(metrics: Metrics): ReportJob {
  const jobs = histogramOf(metrics, 'waypost_job_duration_seconds', {
    help: 'Duration of job attempts; a failed attempt is tried again',
    // The label cannot be `job`: Prometheus gives this label to each target.
    labelNames: ['name', 'outcome'],
    buckets: [0.01, ...LONG_BUCKETS],
  });
  return (name, outcome, seconds) => jobs.observe({ name, outcome }, seconds);
}

/** Returns the function to call after each garbage collection. `objects`: how many were deleted. */
export function createGarbageMetrics(metrics: Metrics): (objects: number) => void {
  const collected = new Counter({
    name: 'waypost_garbage_collected_objects_total',
    help: 'Unreferenced objects that were deleted',
    registers: [metrics],
  });
  return (objects) => collected.inc(objects);
}
