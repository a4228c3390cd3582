import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { Counter, Gauge, Histogram } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/operations/registry.ts';
import { SummedMetrics } from '../../src/operations/worker-metrics.ts';

/** A worker that answers as `giveMetricsToPrimary` does. */
function startWorker(id: number) {
  const registers = [createMetrics()];
  const answers = new Counter({ name: 'answers_total', help: 'a', labelNames: ['status'], registers });
  const bytes = new Gauge({ name: 'cache_bytes', help: 'b', registers });
  const seconds = new Histogram({ name: 'answer_seconds', help: 'c', buckets: [1], registers });
  const worker = Object.assign(new EventEmitter(), {
    id,
    isSlow: false,
    isConnected: () => true,
    async send({ metricsWanted }: { metricsWanted: number }) {
      if (worker.isSlow) return;
      const metrics = structuredClone(await registers[0]!.getMetricsAsJSON());
      worker.emit('message', { metricsId: metricsWanted, metrics });
    },
  });
  const serve = (count: number) => {
    answers.inc({ status: 200 }, count);
    for (let i = 0; i < count; i++) seconds.observe(0.5);
    bytes.set(100);
  };
  return { worker, serve };
}

test('counts stay in the sum when their worker ends or is slow, and its memory does not', async () => {
  const [a, b, c] = [startWorker(1), startWorker(2), startWorker(3)];
  let workers = [a, b];
  const current = () => workers.map(({ worker }) => worker as unknown as Worker);
  const summed = new SummedMetrics(createMetrics(), current);
  const sums = async () => {
    const lines = (await summed.read()).split('\n');
    const sumOf = (start: string) => Number(lines.find((line) => line.startsWith(start))?.split(' ')[1]);
    return [sumOf('answers_total{'), sumOf('answer_seconds_count'), sumOf('cache_bytes')];
  };
  a.serve(10);
  b.serve(5);
  expect(await sums()).toEqual([15, 15, 200]);

  workers = [b, c];
  c.serve(1);
  expect(await sums()).toEqual([16, 16, 200]);

  workers = [c];
  c.serve(1);
  expect(await sums()).toEqual([17, 17, 100]);

  c.serve(1);
  c.worker.isSlow = true;
  expect(await sums()).toEqual([17, 17, 100]);
  c.worker.isSlow = false;
  expect(await sums()).toEqual([18, 18, 100]);
});
