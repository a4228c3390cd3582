/**
 * Sums the metrics of several processes (see `platform/process/worker-processes.ts`): the primary asks its workers and adds up the answers.
 * prom-client can do this too, but if one worker starts or dies, prom-client's whole answer fails.
 */
import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { withinDeadline } from '../platform/concurrency/deadline.ts';
import { exposeCounter, type Metrics } from './registry.ts';

type MetricsOfWorker = MetricObjectWithValues<MetricValue<string>>[];

/** The messages: the primary sends `{ metricsWanted: id }` to a worker, and the worker answers `{ metricsId: id, metrics }`. */
interface Wanted {
  readonly metricsWanted: number;
}
interface Given {
  readonly metricsId: number;
  readonly metrics: MetricsOfWorker;
}

/** If a worker is slower than this, the sum leaves it out. */
const DEADLINE_MS = 1000;

let lastId = 0;

/** Runs in a worker, and answers the primary. */
export function giveMetricsToPrimary(metrics: Metrics): void {
  process.on('message', async (message: Partial<Wanted>) => {
    if (message.metricsWanted === undefined) return;
    const given: Given = {
      metricsId: message.metricsWanted,
      metrics: (await metrics.getMetricsAsJSON()) as MetricsOfWorker,
    };
    // If the primary is gone, the callback ignores the error.
    process.send?.(given, () => {});
  });
}

/** Runs in the primary. Returns the sum over the workers that answer, with the primary's own metrics. */
export async function readMetricsOfWorkers(own: Metrics): Promise<string> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected());
  const answers = await Promise.all(workers.map((worker) => metricsOf(worker!)));
  const present = answers.filter((answer) => answer !== undefined);
  const ofPrimary = (await own.getMetricsAsJSON()) as MetricsOfWorker;
  return AggregatorRegistry.aggregate([...present, ofPrimary]).metrics();
}

/**
 * Exposes in the primary how many workers ended by themselves. No other metric shows these ends, because the start times of workers are
 * left out.
 */
export function exposeWorkerExits(metrics: Metrics, exits: () => number): void {
  exposeCounter(metrics, {
    name: 'waypost_hosting_worker_exits_total',
    help: 'Hosting processes that ended by themselves and were replaced',
    read: exits,
  });
}

async function metricsOf(worker: Worker): Promise<MetricsOfWorker | undefined> {
  const id = ++lastId;
  const { promise, resolve } = Promise.withResolvers<MetricsOfWorker>();
  const take = (message: Partial<Given>) => {
    if (message.metricsId === id && message.metrics !== undefined) resolve(message.metrics);
  };
  worker.on('message', take);
  worker.send({ metricsWanted: id } satisfies Wanted, () => {});
  try {
    return await withinDeadline(promise, DEADLINE_MS).catch(() => undefined);
  } finally {
    worker.off('message', take);
  }
}
