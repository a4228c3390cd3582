import { AggregatorRegistry, Counter } from 'prom-client';
import { expect, test } from 'vitest';
import { BucketCounts } from '../../src/edges/hosting/bucket-counts.ts';
import { createMetrics, exposeBuckets } from '../../src/operations/registry.ts';

function countedMetrics(...seconds: number[]) {
  const metrics = createMetrics();
  const buckets = new BucketCounts([0.1, 1]);
  exposeBuckets(metrics, 'answers_seconds', 'How long', buckets);
  for (const each of seconds) buckets.add(each);
  return metrics;
}

test('a histogram of plain numbers looks like any other', async () => {
  expect(await countedMetrics(0.1, 0.5, 0.75, 8).metrics()).toBe(
    `# HELP answers_seconds How long
# TYPE answers_seconds histogram
answers_seconds_bucket{le="0.1"} 1
answers_seconds_bucket{le="1"} 3
answers_seconds_bucket{le="+Inf"} 4
answers_seconds_sum 9.35
answers_seconds_count 4
`,
  );
});

test('a histogram is added up over processes', async () => {
  const both = [countedMetrics(0.5), countedMetrics(0.5, 2)];
  new Counter({ name: 'one_total', help: 'x', registers: [both[0]!] }).inc(3);
  const json = await Promise.all(both.map((metrics) => metrics.getMetricsAsJSON()));
  const text = await AggregatorRegistry.aggregate(JSON.parse(JSON.stringify(json))).metrics();
  expect(text).toContain('answers_seconds_bucket{le="1"} 2');
  expect(text).toContain('answers_seconds_bucket{le="+Inf"} 3');
  expect(text).toContain('answers_seconds_count 3');
  expect(text).toContain('one_total 3');
});
