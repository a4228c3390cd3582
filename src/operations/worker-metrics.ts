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

/** If a worker is slower than this, the sum has its last answer. */
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

/** The workers of `node:cluster` that have not ended. */
const currentWorkers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

/**
 * Runs in the primary. Sums the metrics of all workers, with the primary's own metrics. No count goes down when a worker ends or is slow:
 * Prometheus takes a lower sum for a reset, and counts the other workers again.
 */
export class SummedMetrics {
  readonly #own: Metrics;
  readonly #workers: () => readonly Worker[];
  /** The last answers of the workers by their ids. */
  readonly #last = new Map<number, MetricsOfWorker>();
  /** The sum of the counts of all workers that have ended, as they were in their last answers. */
  #ended: MetricsOfWorker = [];

  /** Only tests give `workers`. */
  constructor(own: Metrics, workers = currentWorkers) {
    this.#own = own;
    this.#workers = workers;
  }

  async read(): Promise<string> {
    const asked = this.#workers().filter((worker) => worker.isConnected());
    await Promise.all(asked.map((worker) => this.#ask(worker)));
    const ofPrimary = (await this.#own.getMetricsAsJSON()) as MetricsOfWorker;
    this.#addEnded();
    return AggregatorRegistry.aggregate([...this.#last.values(), this.#ended, ofPrimary]).metrics();
  }

  /** Keeps the answer of a worker. If the worker is slow, its last answer stays. */
  async #ask(worker: Worker): Promise<void> {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<void>();
    const take = (message: Partial<Given>) => {
      if (message.metricsId !== id || message.metrics === undefined) return;
      // Keep it at once: messages of a worker come before its end.
      this.#last.set(worker.id, message.metrics);
      resolve();
    };
    worker.on('message', take);
    worker.send({ metricsWanted: id } satisfies Wanted, () => {});
    await withinDeadline(promise, DEADLINE_MS).catch(() => {});
    worker.off('message', take);
  }

  #addEnded(): void {
    const current = new Set(this.#workers().map(({ id }) => id));
    for (const [id, metrics] of this.#last) {
      if (current.has(id)) continue;
      this.#last.delete(id);
      const counts = metrics.filter(({ type }) => String(type) !== 'gauge');
      this.#ended = AggregatorRegistry.aggregate([
        this.#ended,
        counts,
      ]).getMetricsAsArray() as MetricsOfWorker;
    }
  }
}

/**
 * Exposes in the primary how many workers ended by themselves. No other metric shows these ends, because the start times of workers are
 * left out.
 */
export function exposeWorkerExits(metrics: Metrics, exits: () => number): void {
  exposeCounter(metrics, 'waypost_hosting_worker_exits_total', {
    help: 'Hosting processes that ended by themselves and were replaced',
    read: exits,
  });
}
