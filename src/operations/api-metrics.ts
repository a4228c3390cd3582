/** The metrics of requests and uploads, and of requests to the operator's API. */
import { Counter, Gauge } from 'prom-client';
import type { WebReports } from '../core/web/reports.ts';
import type { ApiReports } from '../edges/api/reports.ts';
import type { RenderLoad } from '../features/uploads/render-pool.ts';
import {
  countBy,
  exposeCounter,
  exposeGauge,
  histogramOf,
  LONG_BUCKETS,
  type Metrics,
  SHORT_BUCKETS,
} from './registry.ts';

export function createApiMetrics(metrics: Metrics): ApiReports {
  const registers = [metrics];
  const requests = histogramOf(metrics, 'waypost_api_request_duration_seconds', {
    help: 'Duration of API requests, uploads included, until the answer is sent',
    labelNames: ['status'],
    buckets: [...SHORT_BUCKETS, ...LONG_BUCKETS.filter((bound) => bound > 10)],
  });
  const uploads = histogramOf(metrics, 'waypost_upload_duration_seconds', {
    help: 'Duration of uploads and loads, from the authenticated request to the outcome; abandoned: the client went away',
    labelNames: ['outcome'],
    buckets: LONG_BUCKETS,
  });
  const underWay = new Gauge({
    name: 'waypost_uploads_under_way',
    help: 'Uploads and loads being received or published',
    registers,
  });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const urls = counter('waypost_upload_urls_total', 'URLs in accepted uploads');
  const bytes = counter(
    'waypost_upload_received_bytes_total',
    'Bytes of upload bodies and loaded objects as sent, before decompression',
  );
  const ended: ApiReports['loadEnded'] = (outcome, { seconds, urlCount }) => {
    uploads.observe({ outcome }, seconds);
    urls.inc(urlCount);
  };
  return {
    answered: (status, seconds) => requests.observe({ status: classOf(status) }, seconds),
    refused: countBy(metrics, 'waypost_api_refusals_total', 'code', 'Refused requests, by error code'),
    received: (count) => bytes.inc(count),
    uploadBegins: () => underWay.inc(),
    uploadEnds: (outcome, end) => {
      underWay.dec();
      ended(outcome, end);
    },
    loadBegins: () => {
      underWay.inc();
      return () => underWay.dec();
    },
    loadEnded: ended,
  };
}

export function createOperatorMetrics(metrics: Metrics): WebReports {
  const requests = histogramOf(metrics, 'waypost_operator_request_duration_seconds', {
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

/** Returns the class of a status, as in 4xx. 501 and 505 count as 4xx: they are faults of the request, and any client can cause them. */
function classOf(status: number): string {
  return status === 501 || status === 505 ? '4xx' : `${Math.floor(status / 100)}xx`;
}

export function exposeRenderPool(metrics: Metrics, load: () => RenderLoad): void {
  exposeGauge(metrics, 'waypost_render_queue_batches', {
    help: 'Batches waiting for a thread',
    read: () => load().waiting,
  });
  exposeGauge(metrics, 'waypost_render_threads', {
    help: 'Threads that validate and render',
    read: () => load().threads,
  });
  exposeCounter(metrics, 'waypost_render_busy_seconds_total', {
    help: 'Time that all threads spent on batches; its rate divided by the number of threads is the utilisation',
    read: () => load().busyMs / 1000,
  });
  exposeCounter(metrics, 'waypost_render_entries_total', {
    help: 'Entries that were rendered, by path: kernel is the fast one, normative takes several times as long',
    labelNames: ['path'],
    read: () => Object.entries(load().entriesByPath).map(([path, entries]) => [{ path }, entries] as const),
  });
}
