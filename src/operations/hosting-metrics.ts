/** Exposes the plain counts of a hosting server. They are read when Prometheus scrapes. */
import { Counter, Gauge } from 'prom-client';
import type { HostingCounts } from '../edges/hosting/hosting-counts.ts';
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
    'Time from the headers of a request to its answer, without the time to send it',
    counts.durations,
  );
  new Counter({
    name: 'waypost_hosting_cache_requests_total',
    help: 'Look-ups in memory; a site that must be revalidated counts as a miss',
    labelNames: ['cache', 'result'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const cache of ['sites', 'listings', 'files', 'inflated', 'certificates'] as const) {
        this.inc({ cache, result: 'hit' }, counts[cache].hits);
        this.inc({ cache, result: 'miss' }, counts[cache].misses);
      }
    },
  });
  new Gauge({
    name: 'waypost_hosting_cache_bytes',
    help: 'Memory in use by the cached sites, the cached listings and files (objects), and the held certificates',
    labelNames: ['cache'],
    registers: [metrics],
    collect() {
      this.set({ cache: 'sites' }, counts.siteBytes());
      this.set({ cache: 'objects' }, counts.objectBytes());
      this.set({ cache: 'certificates' }, counts.certificateBytes());
    },
  });
  exposeHandshakes(metrics, counts);
}

function exposeHandshakes(metrics: Metrics, { handshakes, certificates }: HostingCounts): void {
  new Counter({
    name: 'waypost_hosting_handshakes_total',
    help: 'TLS handshakes, by how they ended; unknown_name is a client that named no host with a certificate',
    labelNames: ['outcome'],
    registers: [metrics],
    collect() {
      this.reset();
      this.inc({ outcome: 'full' }, handshakes.full);
      this.inc({ outcome: 'resumed' }, handshakes.resumed);
      this.inc({ outcome: 'unknown_name' }, handshakes.unknownName);
      this.inc({ outcome: 'unavailable' }, handshakes.unavailable);
      this.inc({ outcome: 'timeout' }, handshakes.timeout);
      this.inc({ outcome: 'broken' }, handshakes.broken);
    },
  });
  new Gauge({
    name: 'waypost_hosting_certificates',
    help: 'Certificates that are held in memory',
    registers: [metrics],
    collect() {
      this.set(certificates.opened - certificates.closed);
    },
  });
  new Counter({
    name: 'waypost_hosting_certificate_failures_total',
    help: 'Certificates read from the object storage that cannot be used',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(certificates.failures);
    },
  });
}
