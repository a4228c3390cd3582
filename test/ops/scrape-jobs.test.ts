/** The names of scrape jobs: those of ops/prometheus.yml, of the ServiceMonitor, and in the queries are the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROJECT } from '../architecture/import-graph.ts';
import { renderManifests } from '../packaging/render-manifests.ts';
import { needs } from '../support/needs.ts';
import { type Scrapes, scrapesOf } from './scrapes.ts';

const ops = (file: string) => readFileSync(join(PROJECT, 'ops', file), 'utf8');

const jobs: string[] = parse(ops('prometheus.yml')).scrape_configs.map(
  ({ job_name }: { job_name: string }) => job_name,
);

/** The jobs of the targets. Only relabelings of one label into another are understood; promtool judges them all. */
function jobsOf({ targets, relabelings }: Scrapes): string[] {
  return targets.map((target) => {
    const labels: Record<string, string> = { ...target };
    for (const { source_labels, target_label, replacement = '$1', ...others } of relabelings) {
      expect(others).toEqual({});
      const [source] = source_labels as string[];
      labels[String(target_label)] = String(replacement).replace('$1', labels[source!] ?? '');
    }
    return labels.job!;
  });
}

test('the ServiceMonitor names the jobs as prometheus.yml does', needs('kubectl'), () => {
  const scraped = jobsOf(scrapesOf(renderManifests('overlays/large')));
  expect(scraped.sort()).toEqual(jobs.toSorted());
});

test.for(['prometheus-alerts.yml', 'grafana-dashboard.json'])(
  '%s names only jobs that are scraped',
  (file) => {
    const matchers = Array.from(
      ops(file).matchAll(/\bjob(=~?)\\?"([^"\\]+)\\?"/g),
      ([, operator, value]) => ({
        operator,
        value: value!,
      }),
    );
    expect(matchers.length).toBeGreaterThan(0);
    const unknown = matchers.filter(
      ({ operator, value }) =>
        !jobs.some((job) => (operator === '=' ? job === value : new RegExp(`^(?:${value})$`).test(job))),
    );
    expect(unknown).toEqual([]);
  },
);
