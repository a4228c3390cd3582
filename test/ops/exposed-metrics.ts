/** All metrics that the processes of Waypost expose, by name, with the labels of their series. */

import pg from 'pg';
import { HostingCounts } from '../../src/edges/hosting/hosting-counts.ts';
import {
  createApiMetrics,
  createOperatorMetrics,
  exposeRenderPool,
} from '../../src/operations/api-metrics.ts';
import { createReadCounts } from '../../src/operations/counts.ts';
import { createCrawlCountMetrics, createCrawlImportMetrics } from '../../src/operations/crawl-metrics.ts';
import { exposeHosting } from '../../src/operations/hosting-metrics.ts';
import { observeDatabase } from '../../src/operations/observe-database.ts';
import { observeStorage } from '../../src/operations/observe-storage.ts';
import { createOutboundMetrics } from '../../src/operations/outbound-metrics.ts';
import {
  createCertificateMetrics,
  createChangeMetrics,
  createDomainMetrics,
  createMailMetrics,
  createPageHostMetrics,
  createSubmissionMetrics,
  createWebhookMetrics,
  createWorkMetrics,
} from '../../src/operations/queue-metrics.ts';
import { createMetrics, watchProcess } from '../../src/operations/registry.ts';
import {
  createGarbageMetrics,
  createJobReport,
  createPublishMetrics,
} from '../../src/operations/site-metrics.ts';
import { exposeWorkerExits } from '../../src/operations/worker-metrics.ts';
import type { ObjectStorage } from '../../src/platform/storage/object-storage.ts';

/** Labels that Prometheus gives each series. */
const OF_PROMETHEUS = ['job', 'instance'];

export async function exposedMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const metrics = createMetrics();
  watchProcess(metrics);
  createApiMetrics(metrics);
  createOperatorMetrics(metrics);
  const entriesByPath = { kernel: 0, normative: 0 };
  exposeRenderPool(metrics, () => ({ threads: 1, waiting: 0, busyMs: 0, entriesByPath }));
  exposeHosting(metrics, new HostingCounts());
  exposeWorkerExits(metrics, () => 0);
  observeDatabase(new pg.Pool(), metrics);
  observeStorage({} as ObjectStorage, metrics);
  createPublishMetrics(metrics);
  createGarbageMetrics(metrics);
  createJobReport(metrics);
  createCertificateMetrics(
    metrics,
    async () => ({ leastDays: null, late: 0, within: [], failing: 0 }),
    async () => 0,
  );
  createChangeMetrics(metrics, async () => ({ due: 0, oldestSeconds: 0 }));
  createOutboundMetrics(metrics);
  createMailMetrics(metrics);
  createWebhookMetrics(metrics, async () => ({ count: 0, overdueSeconds: 0, disabledEndpoints: 0 }));
  createDomainMetrics(
    metrics,
    async () => ({}),
    async () => ({ doubted: 0, steady: 0 }),
  );
  createReadCounts(metrics, new pg.Pool());
  createWorkMetrics(metrics, async () => undefined);
  createSubmissionMetrics(metrics, async () => ({
    batches: 0,
    urls: 0,
    unverifiedHosts: 0,
    overdueSeconds: 0,
  }));
  createPageHostMetrics(metrics, async () => ({}));
  createCrawlCountMetrics(metrics, () => 0);
  createCrawlImportMetrics(metrics, async () => null);
  const exposed = new Map([['up', OF_PROMETHEUS]]);
  for (const { name, type } of await metrics.getMetricsAsJSON()) {
    const labels = [...OF_PROMETHEUS, ...labelNamesOf(metrics.getSingleMetric(name))];
    if (String(type) !== 'histogram') exposed.set(name, labels);
    else {
      exposed.set(`${name}_bucket`, [...labels, 'le']);
      for (const suffix of ['sum', 'count']) exposed.set(`${name}_${suffix}`, labels);
    }
  }
  return exposed;
}

function labelNamesOf(metric: unknown): readonly string[] {
  return (metric as { labelNames?: readonly string[] }).labelNames ?? [];
}

/** The series in a query that no process exposes, as `metric` and `metric{label}`. */
export function unknownSeries(query: string, exposed: ReadonlyMap<string, readonly string[]>): string[] {
  const selectors = Array.from(query.matchAll(/\b((?:waypost|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g));
  return selectors.flatMap(([, name = '', matchers = '']) => {
    const labels = exposed.get(name);
    if (labels === undefined) return [name];
    const used = Array.from(matchers.matchAll(/(\w+)(?:=|!)/g), ([, label]) => label!);
    return used.filter((label) => !labels.includes(label)).map((label) => `${name}{${label}}`);
  });
}
