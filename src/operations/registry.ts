/** The metrics of one process. Our names begin with waypost_. The names for the process and for Node do not. */
import { collectDefaultMetrics, type Gauge, Registry } from 'prom-client';
import type { BucketCounts } from '../edges/hosting/bucket-counts.ts';

export type Metrics = Registry;

export function createMetrics(): Metrics {
  return new Registry();
}

/** Adds memory, processor time, garbage collection and event loop delays. Watching them costs a little. */
export function watchProcess(metrics: Metrics): void {
  collectDefaultMetrics({ register: metrics });
}

/** From 1 ms to 10 s: requests, queries, store operations. */
export const SHORT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From 0.1 s to 3 h: uploads and jobs. */
export const LONG_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 10_800];

/** An unknown value is absent: NaN would keep alerts silent. */
export function setOrRemove(gauge: Gauge, value: number | undefined): void {
  gauge.reset();
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

/**
 * Exposes a histogram that is counted elsewhere. prom-client cannot do this, so we register an object with the shape of its
 * own metrics. Its registry reads the object, also when it adds up several processes.
 */
export function exposeBuckets(metrics: Metrics, name: string, help: string, buckets: BucketCounts): void {
  const description = { name, help, type: 'histogram', aggregator: 'sum' };
  const metric = { ...description, get: async () => ({ ...description, values: valuesOf(name, buckets) }) };
  metrics.registerMetric(metric as never);
}

function valuesOf(name: string, { bounds, counts, sum }: BucketCounts) {
  let total = 0;
  const values: { metricName: string; labels: Record<string, string | number>; value: number }[] = [];
  for (const [i, count] of counts.entries()) {
    total += count;
    values.push({ metricName: `${name}_bucket`, labels: { le: bounds[i] ?? '+Inf' }, value: total });
  }
  values.push({ metricName: `${name}_sum`, labels: {}, value: sum });
  values.push({ metricName: `${name}_count`, labels: {}, value: total });
  return values;
}
