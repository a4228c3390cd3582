/** Prometheus' own tool judges the alerts and the dashboard of ops/. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROJECT } from '../architecture/import-graph.ts';
import { renderManifests } from '../packaging/render-manifests.ts';
import { needs } from '../support/needs.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { scrapesOf } from './scrapes.ts';

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

test(
  'by the relabelings of the ServiceMonitor, the jobs have the names of prometheus.yml',
  needs('promtool', 'kubectl'),
  async () => {
    const { targets, relabelings } = scrapesOf(renderManifests('overlays/large'));
    const scrape = {
      job_name: 'monitor',
      static_configs: targets.map((labels, i) => ({ targets: [`pod${i}`], labels })),
      relabel_configs: relabelings,
    };
    const file = join(await createTemporaryFolder(), 'config.json');
    writeFileSync(file, JSON.stringify({ scrape_configs: [scrape] }));
    const { stdout, stderr } = spawnSync(
      'promtool',
      ['check', 'service-discovery', '--timeout=3s', file, 'monitor'],
      {
        encoding: 'utf8',
      },
    );
    expect(stderr).toBe('');
    const found: { labels: { job: string } }[] = JSON.parse(stdout);
    const { scrape_configs } = parse(readFileSync(join(OPS, 'prometheus.yml'), 'utf8'));
    const wanted = scrape_configs.map(({ job_name }: { job_name: string }) => job_name);
    expect(found.map(({ labels }) => labels.job).sort()).toEqual(wanted.sort());
  },
);
