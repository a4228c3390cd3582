/** The metrics of the operator's API. */
import { Counter, Histogram } from 'prom-client';
import type { WebReports } from '../core/web/reports.ts';
import { classOf } from './api-metrics.ts';
import { type Metrics, SHORT_BUCKETS } from './registry.ts';

export function createOperatorMetrics(metrics: Metrics): WebReports {
  const registers = [metrics];
  const requests = new Histogram({
    name: 'waypost_operator_request_duration_seconds',
    help: "Duration of requests to the operator's API, until the answer is sent",
    labelNames: ['status'],
    buckets: SHORT_BUCKETS,
    registers,
  });
  const refusals = new Counter({
    name: 'waypost_operator_refusals_total',
    help: "Refused requests to the operator's API, by error code",
    labelNames: ['code'],
    registers,
  });
  return {
    answered: (status, seconds) => requests.observe({ status: classOf(status) }, seconds),
    refused: (code) => refusals.inc({ code }),
  };
}
