/** Exposes the plain counts of a hosting server. They are read when Prometheus scrapes. */
import type { HostingCounts } from '../edges/hosting/hosting-counts.ts';
import { exposeCounter, exposeGauge, exposeHistogram, type Metrics } from './registry.ts';

const CACHES = ['sites', 'listings', 'files', 'inflated', 'certificates'] as const;

export function exposeHosting(metrics: Metrics, counts: HostingCounts): void {
  exposeCounter(metrics, 'waypost_hosting_answers_total', {
    help: 'Answers to crawlers, by status',
    labelNames: ['status'],
    read: () =>
      [...counts.answers.entries()].flatMap(([status, count]) =>
        count > 0 ? [[{ status }, count] as const] : [],
      ),
  });
  exposeHistogram(
    metrics,
    'waypost_hosting_answer_duration_seconds',
    'Time from the headers of a request to its answer, without the time to send it',
    counts.durations,
  );
  exposeCounter(metrics, 'waypost_hosting_cache_requests_total', {
    help: 'Look-ups in memory; a site that must be revalidated counts as a miss',
    labelNames: ['cache', 'result'],
    read: () =>
      CACHES.flatMap((cache) => [
        [{ cache, result: 'hit' }, counts[cache].hits] as const,
        [{ cache, result: 'miss' }, counts[cache].misses] as const,
      ]),
  });
  exposeGauge(metrics, 'waypost_hosting_cache_bytes', {
    help: 'Memory in use by the cached sites, the cached listings and files (objects), and the held certificates',
    labelNames: ['cache'],
    read: () => [
      [{ cache: 'sites' }, counts.siteBytes()],
      [{ cache: 'objects' }, counts.objectBytes()],
      [{ cache: 'certificates' }, counts.certificateBytes()],
    ],
  });
  exposeHandshakes(metrics, counts);
}

function exposeHandshakes(metrics: Metrics, { handshakes, certificates }: HostingCounts): void {
  exposeCounter(metrics, 'waypost_hosting_handshakes_total', {
    help: 'TLS handshakes, by how they ended; unknown_name is a client that named no host with a certificate',
    labelNames: ['outcome'],
    read: () => [
      [{ outcome: 'full' }, handshakes.full],
      [{ outcome: 'resumed' }, handshakes.resumed],
      [{ outcome: 'unknown_name' }, handshakes.unknownName],
      [{ outcome: 'unavailable' }, handshakes.unavailable],
      [{ outcome: 'timeout' }, handshakes.timeout],
      [{ outcome: 'broken' }, handshakes.broken],
    ],
  });
  exposeGauge(metrics, 'waypost_hosting_certificates', {
    help: 'Certificates that are held in memory',
    read: () => certificates.opened - certificates.closed,
  });
  exposeCounter(metrics, 'waypost_hosting_certificate_failures_total', {
    help: 'Certificates read from the object storage that cannot be used',
    read: () => certificates.failures,
  });
}
