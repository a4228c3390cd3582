/** The one table from refusal codes to HTTP statuses, and the envelope of all errors (spec 7). */
import type { ErrorRequestHandler, Response } from 'express';
import { writeJson } from '../../platform/json/write-json.ts';
import { NotYetVisible } from '../../platform/not-yet-visible.ts';
import { Refusal, type RefusalCode } from '../../platform/refusal.ts';
import type { WebComplaints } from './complaints.ts';
import { type Answer, errorEnvelope, sendAnswer, sendJson } from './envelope.ts';
import type { WebReports } from './reports.ts';
import { ClientGone } from './request-body.ts';

export const STATUS_OF = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  VALIDATION_ERROR: 422,
  RATE_LIMIT_EXCEEDED: 429,
  SERVICE_UNAVAILABLE: 503,
} as const satisfies Record<RefusalCode, number>;

/**
 * A 401 names a scheme (RFC 9110, section 15.5.2). The scheme is the same for every cause (spec D18). For routes that accept no key,
 * `response.locals.challenge` has another scheme.
 */
const CHALLENGE = 'Bearer realm="waypost"';

const INTERNAL_ERROR = errorEnvelope(
  'INTERNAL_ERROR',
  'Something went wrong on our side. Try again in a moment.',
);

/** The status is 500, not 503: a 503 says that nothing was done, but the change is committed. */
const NOT_YET_VISIBLE = errorEnvelope(
  'INTERNAL_ERROR',
  'Your change is saved, and crawlers will see it by themselves as soon as the object storage can be written. It cannot be now.',
);

/** How long a client waits after a failure of ours or of a dependency. The wait is short, and gives time to recover. */
const RETRY_AFTER_FAILURE_SECONDS = 5;

/** The members of an actor that the log names. `features/accounts/actor.ts` has all members. */
interface CallerIds {
  readonly accountId: string;
  readonly keyId: string | null;
  readonly session: { readonly userId: string } | null;
}

export function answerErrors(
  complain: WebComplaints,
  reports: Pick<WebReports, 'refused'>,
): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const { requestId, uploadId, caller } = response.locals;
    const context = { requestId, uploadId, path: shownPath(request.path) };
    if (error instanceof ClientGone) {
      complain.clientGone(context);
      if (error.refusal !== undefined) answerRefusal(response, error.refusal);
      return;
    }
    const refusal = refusalFor(error);
    if (refusal !== undefined && !response.headersSent) {
      reports.refused(refusal.code);
      if (refusal.code === 'FORBIDDEN') complain.accessRefused({ ...context, ...callerIds(caller) });
      return answerRefusal(response, refusal);
    }
    complain.requestFailed({ err: error, ...context });
    if (response.headersSent) return response.destroy();
    response.set('Retry-After', String(RETRY_AFTER_FAILURE_SECONDS));
    sendJson(response, 500, error instanceof NotYetVisible ? NOT_YET_VISIBLE : INTERNAL_ERROR);
  };
}

/** The address of a hook is a secret, even in a request that no route takes. Logs must not show it. */
const shownPath = (path: string) => path.replace(/^\/+api\/+hooks\/.*/i, '/api/hooks/…');

function callerIds(caller: CallerIds | undefined) {
  return { accountId: caller?.accountId, keyId: caller?.keyId, userId: caller?.session?.userId };
}

/** The status and the body of a refusal, without its header fields. */
export function refusalAnswer({ code, message, options }: Refusal): Answer {
  return { status: STATUS_OF[code], text: writeJson(errorEnvelope(code, message, options.details)) };
}

function answerRefusal(response: Response, refusal: Refusal): void {
  const { retryAfterSeconds, allow } = refusal.options;
  if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));
  if (allow !== undefined) response.set('Allow', allow.join(', '));
  // RFC 9110, section 15.5.9: we do not wait for the rest of the request.
  if (refusal.code === 'REQUEST_TIMEOUT') response.set('Connection', 'close');
  if (refusal.code === 'UNAUTHORIZED') {
    response.set('WWW-Authenticate', response.locals.challenge ?? CHALLENGE);
  }
  sendAnswer(response, refusalAnswer(refusal));
}

/** Returns the status that `answerErrors` gives for an error; null if the client has left, so that nothing is answered. */
export function statusFor(error: unknown): number | null {
  const hasLeft = error instanceof ClientGone;
  const refusal = hasLeft ? error.refusal : refusalFor(error);
  if (refusal !== undefined) return STATUS_OF[refusal.code];
  return hasLeft ? null : 500;
}

/** Express throws a URIError for a path that it cannot decode. */
function refusalFor(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof URIError) return new Refusal('BAD_REQUEST', 'The path is not properly encoded.');
  return undefined;
}
