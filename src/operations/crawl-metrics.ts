/** The metrics of counts of crawls: in a hosting process until the store has them, in a jobs process until the database has them. */
import type { WriteOutcome } from '../edges/hosting/write-crawls.ts';
import type { ImportOutcome } from '../features/crawls/import-crawls.ts';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import { countBy, exposeCounter, exposeGauge, type Metrics } from './registry.ts';

const LOOK_EVERY_MS = 30_000;

/** `dropped`: answers that found no room in memory. Returns the function to call after each put. */
export function createCrawlCountMetrics(
  metrics: Metrics,
  dropped: () => number,
): (outcome: WriteOutcome) => void {
  exposeCounter(metrics, 'waypost_hosting_crawls_dropped_total', {
    help: 'Answers to crawlers that are not counted by site, because there are too many different ones',
    read: dropped,
  });
  return countBy(
    metrics,
    'waypost_hosting_crawl_objects_total',
    'outcome',
    'Attempts to store an object with counts of crawls, by outcome',
  );
}

/** `ageSeconds`: the age of the newest import, null before the first. Returns the function to call for each object. */
export function createCrawlImportMetrics(
  metrics: Metrics,
  ageSeconds: () => Promise<number | null>,
): (outcome: ImportOutcome) => void {
  // If the database is down, this metric has no value, and the others stay readable.
  const recentAge = recentResult(() => ageSeconds().catch(() => null), { forMs: LOOK_EVERY_MS });
  exposeGauge(metrics, 'waypost_crawl_import_age_seconds', {
    help: 'How long ago counts of crawls were last imported; every jobs process reports the same',
    read: async () => (await recentAge()) ?? undefined,
  });
  return countBy(
    metrics,
    'waypost_crawl_objects_total',
    'outcome',
    'Objects with counts of crawls that were taken from the store, by outcome',
  );
}
