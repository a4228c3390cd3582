/** What a hosting server counts in plain numbers, read when someone asks. */
import { Counter, Gauge } from 'prom-client';
import type { HostingCounts } from '../hosting/hosting-counts.ts';
import { exposeBuckets, type Metrics } from './registry.ts';

export function exposeHosting(metrics: Metrics, counts: HostingCounts): void {
  new Counter({
    name: 'waypost_hosting_answers_total',
    help: 'Answers to crawlers, by status',
    labelNames: ['status'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const [status, count] of counts.answers.entries()) {
        if (count > 0) this.inc({ status }, count);
      }
    },
  });
  exposeBuckets(
    metrics,
    'waypost_hosting_answer_duration_seconds',
    'From the headers of a request to its answer, without the time that sending it takes',
    counts.durations,
  );
  new Counter({
    name: 'waypost_hosting_cache_requests_total',
    help: 'Look-ups in memory; a site that has to be asked for again is a miss',
    labelNames: ['cache', 'result'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const cache of ['sites', 'listings', 'files', 'inflated'] as const) {
        this.inc({ cache, result: 'hit' }, counts[cache].hits);
        this.inc({ cache, result: 'miss' }, counts[cache].misses);
      }
    },
  });
  new Gauge({
    name: 'waypost_hosting_cache_bytes',
    help: 'Memory that is in use for what is known of sites, and for listings and files',
    labelNames: ['cache'],
    registers: [metrics],
    collect() {
      this.set({ cache: 'sites' }, counts.siteBytes());
      this.set({ cache: 'objects' }, counts.objectBytes());
    },
  });
}
