/**
 * Authenticates the caller by the API key in `Authorization` or `X-API-Key` (spec 5). Then applies the rate limit (spec 8), the scope of
 * the key, and the Idempotency-Key (spec D62).
 */
import type { Request, RequestHandler, Response } from 'express';
import { clientOf } from '../../core/web/client-of.ts';
import { requireKnownQuery } from '../../core/web/query-text.ts';
import type { RecordAnswer, RecordingRoute } from '../../core/web/record-answer.ts';
import { RepeatedRefusal } from '../../features/accounts/admit-caller.ts';
import { accountSuspended, isApiKey } from '../../features/accounts/api-key.ts';
import type { KeyScope } from '../../features/accounts/key-scope.ts';
import type { Caller } from '../../features/accounts/key-store.ts';
import type { Admissions } from '../../features/accounts/open-admission.ts';
import { type RateLimitState, rateLimited } from '../../features/accounts/rate-limits.ts';
import type { Tarpit } from '../../platform/http/tarpit.ts';
import { type AnswerOnceOptions, answerOnce, type Claimant } from './answer-once.ts';

export interface AuthenticationOptions {
  readonly admission: Pick<Admissions, 'admitKey'>;
  readonly tarpit: Tarpit;
  readonly once: AnswerOnceOptions;
  /** Requests under way, and work that continues after their answers. */
  readonly underWay: Set<Promise<unknown>>;
}

/** A function that answers a sender who was admitted. `record` is for changes that must not happen twice. */
export type SenderHandler<Sender> = (
  sender: Sender,
  request: Request,
  response: Response,
  record: RecordAnswer,
) => ReturnType<RecordingRoute>;

const BEARER = /^Bearer (.*)$/i;

/** Refuses a request that the scope of the key does not cover. */
export type Permit = (caller: Caller, scope: KeyScope, request: Request) => Promise<void>;

/** What a route of the customer's API admits. */
interface RouteTerms {
  /** The names of its query parameters. Any other is refused. */
  readonly queryParameters: readonly string[];
  /** Checks keys with a scope. */
  readonly permit: Permit;
  /** Whether the route neither reads nor changes anything of the account, whatever its method. */
  readonly touchesNothing: boolean;
}

/** Makes a route that admits only valid keys of active accounts within the rate limit. */
export type Authenticated = (handle: SenderHandler<Caller>, terms: RouteTerms) => RequestHandler;

export function authenticator(options: AuthenticationOptions): Authenticated {
  return (handle, { queryParameters, permit }) =>
    async (request, response) => {
      const caller = await admit(options, request, response);
      response.locals.caller = caller;
      if (caller.isSuspended) throw accountSuspended();
      if (caller.scope !== null) await permit(caller, caller.scope, request);
      requireKnownQuery(request, queryParameters);
      const work = answerOnce(options.once, claimantOf(caller), request, response, (record) =>
        handle(caller, request, response, record),
      );
      options.underWay.add(work);
      await work.finally(() => options.underWay.delete(work));
    };
}

/** Returns the owner of the request's idempotency keys. A key with a scope must not get an answer to a request of another key. */
function claimantOf({ accountId, keyId, scope }: Caller): Claimant {
  return { accountId, keyId: scope && keyId };
}

async function admit(options: AuthenticationOptions, request: Request, response: Response): Promise<Caller> {
  try {
    const client = clientOf(request);
    const { caller, state } = await options.admission.admitKey(givenKey(request), client);
    setRateLimit(response, state);
    if (state.excess > 0) throw rateLimited(state.resetSeconds, state.limit);
    return { ...caller, session: null, address: client };
  } catch (error) {
    return await rethrow(error, response, options.tarpit);
  }
}

/** Rethrows the error of an admission. If the error is a repeated refusal, first holds the client in the tarpit. */
export async function rethrow(error: unknown, response: Response, tarpit: Tarpit): Promise<never> {
  if (error instanceof RepeatedRefusal) {
    if (error.state) setRateLimit(response, error.state);
    await tarpit.hold(response);
  }
  throw error;
}

export function setRateLimit(response: Response, { limit, remaining, resetSeconds }: RateLimitState): void {
  response.setHeader('RateLimit-Limit', String(limit));
  response.setHeader('RateLimit-Remaining', String(remaining));
  response.setHeader('RateLimit-Reset', String(resetSeconds));
}

/** Returns a well-formed key; undefined without one, or when the two headers disagree (spec D18). */
function givenKey(request: Request): string | undefined {
  const { authorization } = request.headers;
  const bearer = authorization === undefined ? undefined : (BEARER.exec(authorization)?.[1] ?? '');
  const header = request.get('x-api-key');
  if (bearer !== undefined && header !== undefined && bearer !== header) return undefined;
  const key = header ?? bearer;
  return key !== undefined && isApiKey(key) ? key : undefined;
}
