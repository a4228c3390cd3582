/** The metrics of one process. Our names begin with waypost_. The names for the process and for Node do not. */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';
import type { DurationHistogram } from '../edges/hosting/duration-histogram.ts';

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

/** A value for each combination of labels, or one value without labels. Undefined: the value is not known. */
type Values = number | undefined | Iterable<readonly [Readonly<Record<string, string | number>>, number]>;

interface Exposed {
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** Reads the values for each scrape. An unknown value is absent, because NaN keeps alerts silent. */
  readonly read: () => Values | Promise<Values>;
}

const exposing =
  (Metric: typeof Gauge | typeof Counter) =>
  (metrics: Metrics, name: string, { read, help, labelNames = [] }: Exposed): void => {
    new Metric({
      ...{ name, help, labelNames, registers: [metrics] },
      async collect() {
        await renew(this, read);
      },
    });
  };

/** Exposes numbers that go up and down. */
export const exposeGauge = exposing(Gauge);
/** Exposes numbers that another part counts. */
export const exposeCounter = exposing(Counter);

async function renew(metric: Gauge | Counter, read: Exposed['read']): Promise<void> {
  const values = await read();
  metric.reset();
  if (values === undefined) metric.remove({});
  else if (typeof values === 'number') metric.inc(values);
  else for (const [labels, value] of values) metric.inc(labels, value);
}

/** Returns a function that counts events by a label. */
export function countBy(
  metrics: Metrics,
  name: string,
  label: string,
  help: string,
): (value: string, events?: number) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [metrics] });
  return (value, events = 1) => counter.inc({ [label]: value }, events);
}

/** Returns the histogram. The API and the jobs of one process share some histograms, so it may exist already. */
export function histogramOf<Label extends string>(
  metrics: Metrics,
  name: string,
  described: Omit<HistogramConfiguration<Label>, 'name' | 'registers'>,
): Histogram<Label> {
  const existing = metrics.getSingleMetric(name) as Histogram<Label> | undefined;
  return existing ?? new Histogram({ ...described, name, registers: [metrics] });
}

/**
 * Exposes a histogram that another part counts. prom-client cannot do this, so we register an object with the shape of its own metrics. Its
 * registry reads the object, also when it adds up several processes.
 */
export function exposeHistogram(
  metrics: Metrics,
  name: string,
  help: string,
  buckets: DurationHistogram,
): void {
  const description = { name, help, type: 'histogram', aggregator: 'sum' };
  const metric = { ...description, get: async () => ({ ...description, values: valuesOf(name, buckets) }) };
  metrics.registerMetric(metric as never);
}

function valuesOf(name: string, { bounds, counts, sum }: DurationHistogram) {
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
