/**
 * Admits a person by the session in the cookie, stage by stage:
 *
 *   same origin (403) → session (401) → requests left (429) → another account than the page's (409)
 *   → suspended, role (403) → query (422) → the route
 *
 * A change by a route that keys have too also counts for the plan of the account, before the route (429).
 */
import type { Request, RequestHandler, Response } from 'express';
import { type AdmissionOptions, admitCaller, RepeatedRefusal } from '../accounts/admit-caller.ts';
import { accountSuspended } from '../accounts/api-key.ts';
import { type RateLimits, rateLimited } from '../accounts/rate-limits.ts';
import { notSignedIn, type SessionOwner } from '../accounts/session.ts';
import type { Tarpit } from '../platform/http/tarpit.ts';
import { Refusal } from '../platform/refusal.ts';
import { clientOf } from '../web/client-of.ts';
import { requireKnownQuery } from '../web/known-query.ts';
import type { RecordAnswer, RecordingRoute } from '../web/record-answer.ts';
import type { Cookie } from './cookie.ts';
import { requireSameOrigin } from './same-origin.ts';
import { requireShownAccount } from './shown-account.ts';
import type { Person, SignedIn, SignedInRules } from './signed-in.ts';

export interface SessionAuthenticationOptions {
  /** Of the dashboard, as in https://api.example.net. */
  readonly origin: string;
  readonly cookie: Cookie;
  readonly admission: AdmissionOptions<SessionOwner>;
  readonly tarpit: Tarpit;
  /** Requests under way, and work that continues after their answers. */
  readonly underWay: Set<Promise<unknown>>;
  readonly once: Once;
  readonly countChange: RateLimits['countChange'];
}

/** Runs a route of the customer's API. It may keep the answer, and give it to whoever asks again. */
export type Once = (
  accountId: string,
  request: Request,
  response: Response,
  route: RecordingRoute,
) => Promise<void>;

type CustomerHandler = (
  person: Person,
  request: Request,
  response: Response,
  record: RecordAnswer,
) => Promise<unknown>;

/**
 * RFC 9110 wants a scheme with every 401. No key works here, and a browser asks nobody about an unknown
 * scheme.
 */
const CHALLENGE = 'Cookie realm="waypost"';

export function createSignedIn(options: SessionAuthenticationOptions): SignedIn {
  return (handle, rules = {}) =>
    async (request, response) => {
      const person = await admit(options, request, response, rules);
      await whileUnderWay(options, handle(person, request, response));
    };
}

/** The same for routes of the customer's API, as `authenticator` of `api/authenticate.ts` is for keys. */
export function sessionAuthenticator(options: SessionAuthenticationOptions) {
  return (handle: CustomerHandler, query: readonly string[] = []): RequestHandler =>
    async (request, response) => {
      const person = await admit(options, request, response, { query });
      await refuseExcess(options, person, request);
      const work = options.once(person.accountId, request, response, (record) =>
        handle(person, request, response, record),
      );
      await whileUnderWay(options, work);
    };
}

async function refuseExcess(
  { countChange }: SessionAuthenticationOptions,
  { accountId, plan }: Person,
  { method }: Request,
): Promise<void> {
  if (method === 'GET' || method === 'HEAD') return;
  const { excess, resetSeconds, limit } = await countChange(accountId, plan);
  if (excess > 0) throw rateLimited(resetSeconds, limit);
}

async function admit(
  options: SessionAuthenticationOptions,
  request: Request,
  response: Response,
  { query = [], onlyOwners = false, evenSuspended = false, ofAnyAccount = false }: SignedInRules,
): Promise<Person> {
  response.locals.challenge = CHALLENGE;
  requireSameOrigin(request, options.origin);
  const person = await identify(options, request, response);
  response.locals.caller = person;
  if (!ofAnyAccount) requireShownAccount(request, person.accountId);
  if (person.isSuspended && !evenSuspended) throw accountSuspended();
  if (onlyOwners && person.role !== 'owner') throw onlyForOwners();
  requireKnownQuery(request, query);
  return person;
}

async function identify(
  { cookie, admission, tarpit }: SessionAuthenticationOptions,
  request: Request,
  response: Response,
): Promise<Person> {
  const token = cookie.read(request);
  // Costs nothing, so it need not count as a failure: everyone who opens the sign-in page comes here once.
  if (token === undefined) throw notSignedIn();
  const client = clientOf(request);
  try {
    const { caller, state } = await admitCaller(admission, token, client);
    if (state.excess > 0) throw rateLimited(state.resetSeconds, state.limit);
    return { ...caller, keyId: null, address: client };
  } catch (error) {
    if (error instanceof RepeatedRefusal) await tarpit.hold(response);
    throw error;
  }
}

async function whileUnderWay(
  { underWay }: SessionAuthenticationOptions,
  work: Promise<unknown>,
): Promise<void> {
  underWay.add(work);
  await work.finally(() => underWay.delete(work));
}

function onlyForOwners(): Refusal {
  return new Refusal('FORBIDDEN', 'Only owners of the account may do this.');
}
