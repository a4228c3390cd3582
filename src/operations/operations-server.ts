/**
 * Endpoints for operators' tools, on a port of their own: /metrics for Prometheus, /healthz (the process is alive) and
 * /readyz (it can do its work). They are not public: the port is on loopback unless METRICS_ADDRESS says otherwise.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import type { Log } from '../platform/log.ts';
import type { Readiness } from './readiness.ts';

export interface OperationsServerOptions {
  readonly log: Log;
  readonly readiness: Readiness;
  /** Returns the text format of Prometheus. */
  readonly readMetrics: () => Promise<string>;
}

/** Scrapers and probes need few connections. */
const MAX_CONNECTIONS = 100;
const TIMEOUT_MS = 10_000;

interface OperationsAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Returns a server that does not listen yet. */
export function createOperationsServer(options: OperationsServerOptions): Server {
  const server = createServer(
    { requestTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS },
    (request, response) => {
      void respond(request, response, options);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: OperationsServerOptions,
): Promise<void> {
  const answer = await answerTo(request, options).catch((err): OperationsAnswer => {
    options.log.error({ err, path: request.url }, 'operations request failed');
    return plain(500, 'failed\n');
  });
  const { status, type, body } = answer;
  const fields = {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  };
  response.writeHead(status, fields).end(request.method === 'HEAD' ? '' : body);
}

async function answerTo(
  { method, url = '' }: IncomingMessage,
  options: OperationsServerOptions,
): Promise<OperationsAnswer> {
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'GET or HEAD only\n');
  switch (url.split('?', 1)[0]) {
    case '/metrics':
      return { status: 200, type: Registry.PROMETHEUS_CONTENT_TYPE, body: await options.readMetrics() };
    case '/healthz':
      return plain(200, 'ok\n');
    case '/readyz': {
      const verdict = await options.readiness.judge();
      const body = `${JSON.stringify(verdict)}\n`;
      return {
        status: verdict.status === 'ready' ? 200 : 503,
        type: 'application/json; charset=utf-8',
        body,
      };
    }
    default:
      return plain(404, 'not found; there are /metrics, /healthz and /readyz\n');
  }
}

function plain(status: number, body: string): OperationsAnswer {
  return { status, type: 'text/plain; charset=utf-8', body };
}
