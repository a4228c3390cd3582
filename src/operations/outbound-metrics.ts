/** The metrics of our requests to external hosts. */
import { Counter } from 'prom-client';
import type { ReportOutbound } from '../platform/http/report-outbound.ts';
import { histogramOf, type Metrics, SHORT_BUCKETS } from './registry.ts';

const REQUESTS = 'waypost_outbound_requests_total';

/** Returns the function to call after each request. The API and the jobs of one process share the metrics. */
export function createOutboundMetrics(metrics: Metrics): ReportOutbound {
  const requests =
    (metrics.getSingleMetric(REQUESTS) as Counter | undefined) ??
    new Counter({
      name: REQUESTS,
      help: 'Requests to hosts of others, by what they are for and how they ended',
      labelNames: ['kind', 'outcome'],
      registers: [metrics],
    });
  const durations = histogramOf(metrics, 'waypost_outbound_request_duration_seconds', {
    help: 'Duration of requests to hosts of others',
    labelNames: ['kind'],
    buckets: [...SHORT_BUCKETS, 20, 30],
  });
  return (kind, outcome, seconds) => {
    requests.inc({ kind, outcome });
    durations.observe({ kind }, seconds);
  };
}
