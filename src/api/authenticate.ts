/** Who is calling: the API key of either header (section 5), then the account's rate limit (section 8). */
import type { Request, RequestHandler, Response } from 'express';
import { isApiKey, unauthorized } from '../accounts/api-key.ts';
import type { Caller } from '../accounts/key-store.ts';
import { type RateLimits, rateLimited } from '../accounts/rate-limits.ts';

export interface Authentication {
  readonly findCaller: (key: string) => Promise<Caller | undefined>;
  readonly rateLimits: RateLimits;
  /** What works on requests at this moment, or still clears up after them; requests are added here. */
  readonly underWay: Set<Promise<unknown>>;
}

/** A handler that knows who is calling. */
export type CallerHandler = (caller: Caller, request: Request, response: Response) => Promise<unknown>;

/** Lets only callers with a valid key and requests left through to `handle`. */
export function authenticated(parts: Authentication, handle: CallerHandler): RequestHandler {
  return async (request, response) => {
    const key = givenKey(request);
    const caller = key && (await parts.findCaller(key));
    if (!caller) {
      await parts.rateLimits.countFailedAuthentication(request.ip ?? 'unknown');
      throw unauthorized();
    }
    const state = await parts.rateLimits.countRequest(caller.accountId, caller.plan);
    response.set({
      'RateLimit-Limit': String(state.limit),
      'RateLimit-Remaining': String(state.remaining),
      'RateLimit-Reset': String(state.resetSeconds),
    });
    if (state.isExceeded) throw rateLimited(state.resetSeconds);
    const work = handle(caller, request, response);
    parts.underWay.add(work);
    await work.finally(() => parts.underWay.delete(work));
  };
}

/** The key, if it has the form of one; undefined also when the two headers disagree (decision 18). */
function givenKey(request: Request): string | undefined {
  const { authorization } = request.headers;
  const bearer = authorization === undefined ? undefined : (/^Bearer (.*)$/i.exec(authorization)?.[1] ?? '');
  const header = request.get('x-api-key');
  if (bearer !== undefined && header !== undefined && bearer !== header) return undefined;
  const key = header ?? bearer;
  return key !== undefined && isApiKey(key) ? key : undefined;
}
