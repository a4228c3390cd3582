/**
 * An Express server with our defaults. The life of a request, each stage with the statuses it may answer:
 *
 * malformed (400, 405, 408, 413, 414, 431) → id → flaw (400, 417, 501, 505) → path (404) → method (405) → route
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { inOrder } from '../../platform/http/in-order.ts';
import {
  type FaultyPart,
  type MalformedStatus,
  type RawAnswer,
  refuseMalformed,
} from '../../platform/http/refuse-malformed.ts';
import { requestFlaw } from '../../platform/http/request-flaw.ts';
import { parseTarget } from '../../platform/http/request-target.ts';
import { areSpansWanted, endSpan, spanTime } from '../../platform/trace/span.ts';
import { beginTrace, type TraceContext, withTrace } from '../../platform/trace/trace-context.ts';
import type { WebComplaints } from './complaints.ts';
import { errorEnvelope, sendJson, sendText } from './envelope.ts';
import { answerErrors } from './error-answers.ts';
import { methodNotAllowed, notFound } from './not-found.ts';
import { reportAnswers, type WebReports } from './reports.ts';

export interface WebServerOptions {
  readonly complain: WebComplaints;
  readonly reports: WebReports;
  /** The number of reverse proxies in front of us. */
  readonly trustedProxies: number;
  /** Resolves when the process can serve. Rejects when a dependency is down. */
  readonly checkHealth: () => Promise<unknown>;
}

/** The longest time for the headers of a request. A client that sends them slowly costs only a connection. */
const HEADERS_TIMEOUT_MS = 15_000;
/** How often Node looks for late clients. With its default of 30 s, a client gets up to three times the limit. */
const TIMEOUT_CHECK_MS = 500;
/** This is longer than the 60 s of common load balancers, so that they close idle connections before we do. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Returns a server that does not listen yet. */
export function createWebServer(options: WebServerOptions, routes: readonly RequestHandler[]): Server {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', 'simple').set('trust proxy', options.trustedProxies);
  app.use(reportAnswers(options.reports), beginRequest, refuseFlaws);
  app
    .route('/healthz')
    .get(async (_request, response) => {
      await options.checkHealth();
      sendText(response, 'text/plain; charset=utf-8', 'ok\n');
    })
    .all(methodNotAllowed('GET', 'HEAD'));
  app.use(refuseNul, ...routes);
  app.use(notFound, answerErrors(options.complain, options.reports));

  const server = createServer({
    requireHostHeader: false,
    // Bodies have limits of their own (request-body.ts). Node's limit ends a long upload after 5 minutes.
    requestTimeout: 0,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  });
  server.maxHeadersCount = 0;
  const listener = inOrder(app);
  server.on('request', listener);
  // Requests with Expect get the same answers. `receiveBody` sends 100 Continue, so a refused client never gets 100 Continue.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  refuseMalformed(server, refusedByParser);
  return server;
}

/** Browsers must not read a customer's text as another type, such as HTML. */
const NO_SNIFFING = { 'X-Content-Type-Options': 'nosniff' };

const NOT_HTTP = errorEnvelope('BAD_REQUEST', 'This is not a well-formed HTTP request.');
const BAD_TARGET = errorEnvelope(
  'BAD_REQUEST',
  'The address of the request has characters that must be percent-encoded, as %C3%BC for ü.',
);
const BAD_FIELD = errorEnvelope(
  'BAD_REQUEST',
  'A header has a carriage return in its value, as a key from a file with Windows line ends has.',
);
const TOO_LATE = errorEnvelope(
  'REQUEST_TIMEOUT',
  'The head of the request did not arrive in time. Send the request again.',
);
const NO_TUNNELS = errorEnvelope('METHOD_NOT_ALLOWED', 'CONNECT is not allowed here.');

function refusedByParser(status: MalformedStatus, part: FaultyPart | undefined): RawAnswer {
  const malformed = { target: BAD_TARGET, field: BAD_FIELD, unknown: NOT_HTTP }[part ?? 'unknown'];
  const envelope = status === 405 ? NO_TUNNELS : status === 408 ? TOO_LATE : malformed;
  const body = JSON.stringify(envelope);
  const fields = {
    'X-Request-Id': randomUUID(),
    ...NO_SNIFFING,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    ...(status === 405 && { Allow: 'GET, HEAD, POST, DELETE' }),
  };
  return { fields, body };
}

const beginRequest: RequestHandler = (request, response, next) => {
  const requestId = randomUUID();
  response.locals.requestId = requestId;
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Cache-Control', 'no-store');
  response.set(NO_SNIFFING);
  withTrace(traceRequest(request, response), next);
};

/** Answers 404 for a path with a NUL. No id or name has one, because Postgres stores none in text. */
const refuseNul: RequestHandler = (request, response, next) => {
  if (request.path.includes('%00')) notFound(request, response, next);
  else next();
};

const refuseFlaws: RequestHandler = (request, response, next) => {
  const flaw = requestFlaw(request, parseTarget(request.url));
  if (flaw === undefined) return next();
  response.set('Connection', 'close');
  // Each path knows its methods and refuses all others.
  if (flaw.status === 405) return next();
  sendJson(response, flaw.status, errorEnvelope('BAD_REQUEST', flaw.sentence));
};

/** Returns the trace of a request. If spans are wanted, the answer ends its span. */
function traceRequest(request: Request, response: Response): TraceContext {
  const { traceparent, tracestate } = request.headers;
  const wanted = areSpansWanted();
  const trace = beginTrace(onlyText(traceparent), wanted, onlyText(tracestate));
  if (wanted && trace.isSampled) endWithAnswer(trace, request, response);
  return trace;
}

/** Node joins repeated headers into one text, except for a few names. */
const onlyText = (value: string | string[] | undefined) => (typeof value === 'string' ? value : undefined);

/** Ends the span when the response closes. The attributes of the span follow the semantic conventions of OpenTelemetry for HTTP. */
function endWithAnswer(trace: TraceContext, request: Request, response: Response): void {
  const startedAt = spanTime();
  response.once('close', () => {
    const { statusCode: status, locals } = response;
    const { method } = request;
    // The path of a request without a route may be any text, so the span leaves the path out.
    const route: unknown = request.route?.path;
    const path = typeof route === 'string' ? route : undefined;
    endSpan({
      ...{ trace, kind: 'server', startedAt, endedAt: spanTime() },
      name: path === undefined ? method : `${method} ${path}`,
      attributes: {
        'http.request.method': method,
        'http.route': path,
        // A client that went away got no status.
        'http.response.status_code': response.headersSent ? status : undefined,
        'waypost.request_id': locals.requestId,
      },
      hasFailed: status >= 500,
    });
  });
}
