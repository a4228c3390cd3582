/** The alerts of ops/: each has a unit test, and they name only exposed metrics. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROJECT } from '../architecture/import-graph.ts';
import { exposedMetrics, unknownSeries } from './exposed-metrics.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

const ALERTS = join(PROJECT, 'ops/prometheus-alerts.yml');
const UNIT_TESTS = join(import.meta.dirname, 'prometheus-alerts.yml');
const rules: Rule[] = parse(readFileSync(ALERTS, 'utf8')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);

test('every alert has a unit test, a severity, and says what happened and what to do', () => {
  const tested = readFileSync(UNIT_TESTS, 'utf8');
  for (const { alert, labels, annotations } of rules) {
    expect(tested).toContain(`alertname="${alert}"`);
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    expect(Object.keys(annotations), alert).toEqual(['summary', 'action']);
  }
});

test('alerts name only series that processes expose', async () => {
  const exposed = await exposedMetrics();
  expect(rules.flatMap(({ expr }) => unknownSeries(expr, exposed))).toEqual([]);
});

test('a metric or a label that nobody exposes is found', async () => {
  const query = 'rate(waypost_nonsense_total[5m]) > waypost_upload_urls_total{status="5xx"}';
  expect(unknownSeries(query, await exposedMetrics())).toEqual([
    'waypost_nonsense_total',
    'waypost_upload_urls_total{status}',
  ]);
});
