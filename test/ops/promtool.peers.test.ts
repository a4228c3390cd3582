/** Prometheus' own tool judges the alerts and the dashboard of ops/. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { needs } from '../support/needs.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const OPS = join(PROJECT, 'ops');

function promtool(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

test('promtool accepts the rules and the scrape configuration', needs('promtool'), () => {
  expect(promtool('check', 'rules', join(OPS, 'prometheus-alerts.yml'))).toBe('');
  expect(promtool('check', 'config', join(OPS, 'prometheus.yml'))).toBe('');
});

test('each alert fires when its trouble lasts, and none when all is well', needs('promtool'), () => {
  expect(promtool('test', 'rules', join(import.meta.dirname, 'prometheus-alerts.yml'))).toBe('');
});

test('promtool accepts every query of the dashboard', needs('promtool'), async () => {
  const { panels } = JSON.parse(readFileSync(join(OPS, 'grafana-dashboard.json'), 'utf8'));
  const queries: { expr: string }[] = panels.flatMap(({ targets = [] }) => targets);
  const rules = queries.map(({ expr }, i) => ({
    record: `query${i}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }));
  const file = join(await createTemporaryFolder(), 'rules.json');
  // JSON is also YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(promtool('check', 'rules', file)).toBe('');
});
