/** The metrics of the operator's API. */
import type { WebReports } from '../core/web/reports.ts';
import { classOf } from './api-metrics.ts';
import { countBy, histogramOf, type Metrics, SHORT_BUCKETS } from './registry.ts';

export function createOperatorMetrics(metrics: Metrics): WebReports {
  const requests = histogramOf(metrics, {
    name: 'waypost_operator_request_duration_seconds',
    help: "Duration of requests to the operator's API, until the answer is sent",
    labelNames: ['status'],
    buckets: SHORT_BUCKETS,
  });
  return {
    answered: (status, seconds) => requests.observe({ status: classOf(status) }, seconds),
    refused: countBy(
      metrics,
      'waypost_operator_refusals_total',
      'code',
      "Refused requests to the operator's API, by error code",
    ),
  };
}
