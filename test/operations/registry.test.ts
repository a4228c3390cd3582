import { AggregatorRegistry, Counter } from 'prom-client';
import { expect, test } from 'vitest';
import { DurationHistogram } from '../../src/edges/hosting/duration-histogram.ts';
import { createMetrics, exposeCounter, exposeGauge, exposeHistogram } from '../../src/operations/registry.ts';

function countedMetrics(...seconds: number[]) {
  const metrics = createMetrics();
  const buckets = new DurationHistogram([0.1, 1]);
  exposeHistogram(metrics, 'answers_seconds', 'How long', buckets);
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

test.each([exposeGauge, exposeCounter])(
  '%o: an unknown value is absent, until it is known',
  async (expose) => {
    const metrics = createMetrics();
    let plain: number | undefined;
    let labelled: (readonly [{ readonly kind: string }, number])[] | undefined;
    expose(metrics, 'plain', { help: 'x', read: () => plain });
    expose(metrics, 'labelled', { help: 'x', labelNames: ['kind'], read: async () => labelled });
    const values = async () =>
      (await metrics.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(await values()).toEqual([]);
    plain = 3;
    labelled = [
      [{ kind: 'a' }, 1],
      [{ kind: 'b' }, 2],
    ];
    const shown = ['plain 3', 'labelled{kind="a"} 1', 'labelled{kind="b"} 2'];
    expect(await values()).toEqual(shown);
    expect(await values()).toEqual(shown);
    labelled = [[{ kind: 'b' }, 4]];
    expect(await values()).toEqual(['plain 3', 'labelled{kind="b"} 4']);
    [plain, labelled] = [undefined, undefined];
    expect(await values()).toEqual([]);
  },
);
