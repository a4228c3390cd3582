/** Returns the trace of a request. If spans are wanted, the answer ends its span. */
import type { Request, Response } from 'express';
import { areSpansWanted, endSpan, spanTime } from '../../platform/trace/span.ts';
import { beginTrace, type TraceContext } from '../../platform/trace/trace-context.ts';

export function traceRequest(request: Request, response: Response): TraceContext {
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
