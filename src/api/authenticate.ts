/**
 * Authenticates the caller by the API key in either header (spec 5), then applies the rate limit (spec 8) and the
 * Idempotency-Key (spec D62).
 */
import type { Request, RequestHandler, Response } from 'express';
import { type AdmissionOptions, admitCaller, RepeatedRefusal } from '../accounts/admit-caller.ts';
import { accountSuspended, isApiKey } from '../accounts/api-key.ts';
import type { Caller } from '../accounts/key-store.ts';
import { type RateLimitState, rateLimited } from '../accounts/rate-limits.ts';
import type { Tarpit } from '../platform/http/tarpit.ts';
import { clientOf } from '../web/client-of.ts';
import { requireKnownQuery } from '../web/known-query.ts';
import type { RecordAnswer } from '../web/record-answer.ts';
import { type AnswerOnceOptions, answerOnce } from './answer-once.ts';

export interface AuthenticationOptions extends AdmissionOptions {
  readonly tarpit: Tarpit;
  readonly once: AnswerOnceOptions;
  /** Requests under way, and work that continues after their answers. */
  readonly underWay: Set<Promise<unknown>>;
}

/** A handler for an authenticated caller. `record`: for changes that must not happen twice. */
type CallerHandler = (
  caller: Caller,
  request: Request,
  response: Response,
  record: RecordAnswer,
) => Promise<unknown>;

const BEARER = /^Bearer (.*)$/i;

/** Admits only callers with a valid key of an active account and requests left, and only these query parameters. */
export type Authenticated = (handle: CallerHandler, queryParameters?: readonly string[]) => RequestHandler;

export function authenticator(options: AuthenticationOptions): Authenticated {
  return (handle, queryParameters = []) =>
    async (request, response) => {
      const caller = await admit(options, request, response);
      response.locals.caller = caller;
      if (caller.isSuspended) throw accountSuspended();
      requireKnownQuery(request, queryParameters);
      const work = answerOnce(options.once, caller.accountId, request, response, (record) =>
        handle(caller, request, response, record),
      );
      options.underWay.add(work);
      await work.finally(() => options.underWay.delete(work));
    };
}

async function admit(options: AuthenticationOptions, request: Request, response: Response): Promise<Caller> {
  try {
    const client = clientOf(request);
    const { caller, state } = await admitCaller(options, givenKey(request), client);
    setRateLimit(response, state);
    if (state.excess > 0) throw rateLimited(state.resetSeconds, state.limit);
    return { ...caller, session: null, address: client };
  } catch (error) {
    if (error instanceof RepeatedRefusal) {
      if (error.state) setRateLimit(response, error.state);
      await options.tarpit.hold(response);
    }
    throw error;
  }
}

function setRateLimit(response: Response, { limit, remaining, resetSeconds }: RateLimitState): void {
  response.setHeader('RateLimit-Limit', String(limit));
  response.setHeader('RateLimit-Remaining', String(remaining));
  response.setHeader('RateLimit-Reset', String(resetSeconds));
}

/** The key, if well-formed. Undefined also when the two headers disagree (spec D18). */
function givenKey(request: Request): string | undefined {
  const { authorization } = request.headers;
  const bearer = authorization === undefined ? undefined : (BEARER.exec(authorization)?.[1] ?? '');
  const header = request.get('x-api-key');
  if (bearer !== undefined && header !== undefined && bearer !== header) return undefined;
  const key = header ?? bearer;
  return key !== undefined && isApiKey(key) ? key : undefined;
}
