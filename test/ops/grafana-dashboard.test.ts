/** The dashboard of ops/: its queries are PromQL over exposed metrics, from the selected data source. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { exposedMetrics, unknownSeries } from './exposed-metrics.ts';

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

const dashboard = JSON.parse(readFileSync(join(PROJECT, 'ops/grafana-dashboard.json'), 'utf8'));
const panels: Panel[] = dashboard.panels;
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

test('it has a row for each part', () => {
  const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title);
  expect(rows).toEqual([
    'API',
    'Uploads',
    'Publishing',
    'Hosting',
    'Store',
    'Database',
    'Jobs',
    'Processes',
    "Operator's API",
  ]);
});

test('every panel asks the selected data source', () => {
  expect(dashboard.templating.list).toMatchObject([{ name: 'datasource', type: 'datasource' }]);
  const asked = panels.flatMap(({ datasource, targets = [] }) => [
    ...(datasource ? [datasource.uid] : []),
    ...targets.map((target) => target.datasource.uid),
  ]);
  expect(new Set(asked)).toEqual(new Set([`\${datasource}`]));
});

test('its queries name only series that processes expose', async () => {
  const exposed = await exposedMetrics();
  expect(queries.flatMap((query) => unknownSeries(query, exposed))).toEqual([]);
});

test('every metric of Waypost is on it', async () => {
  const names = [...(await exposedMetrics()).keys()].filter((name) => name.startsWith('waypost_'));
  const metrics = new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect([...metrics].filter((metric) => !queries.some((query) => query.includes(metric)))).toEqual([]);
});
