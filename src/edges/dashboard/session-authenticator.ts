/**
 * Admits a person by the session in the cookie. The first check that fails gives its status:
 *
 *   the origin is ours (403) → the session is valid (401) → it has requests left (429) → the page shows its account (409)
 *   → the account is not suspended, and the role suffices (403) → the query is known (422) → the route
 *
 * On routes of the customer's API, each request that may change something also counts towards the limit of the plan (429). A preview of a
 * file is a POST, but changes nothing: while a person chooses how a file is read, the page sends some previews in a second.
 */
import type { Request, RequestHandler, Response } from 'express';
import { clientOf } from '../../core/web/client-of.ts';
import { requireKnownQuery } from '../../core/web/query-text.ts';
import type { RecordAnswer, RecordingRoute } from '../../core/web/record-answer.ts';
import { RepeatedRefusal } from '../../features/accounts/admit-caller.ts';
import { accountSuspended } from '../../features/accounts/api-key.ts';
import { requireOwner } from '../../features/accounts/change-members.ts';
import type { Admissions } from '../../features/accounts/open-admission.ts';
import { rateLimited } from '../../features/accounts/rate-limits.ts';
import { notSignedIn } from '../../features/accounts/session.ts';
import type { Tarpit } from '../../platform/http/tarpit.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Cookie } from './cookie.ts';
import { requireSameOrigin } from './same-origin.ts';
import type { Person, SignedIn, SignedInRules } from './signed-in.ts';

export interface SessionAuthenticationOptions {
  /** The origin of the dashboard, as in https://api.example.net. */
  readonly origin: string;
  readonly cookie: Cookie;
  readonly admission: Pick<Admissions, 'admitRead' | 'admitChange' | 'admitPoll' | 'countChange'>;
  readonly tarpit: Tarpit;
  /** Requests under way, and work that continues after their answers. */
  readonly underWay: Set<Promise<unknown>>;
  readonly once: Once;
}

/** A function that runs a route of the customer's API. The function may keep the answer for a repeated request. */
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
) => ReturnType<RecordingRoute>;

/**
 * The challenge of a 401. RFC 9110 wants a scheme with every 401. Basic and Bearer are wrong, because these routes take no API keys. For an
 * unknown scheme, a browser shows no prompt.
 */
const CHALLENGE = 'Cookie realm="waypost"';
const ACCOUNT_HEADER = 'Waypost-Account';

export function createSignedIn(options: SessionAuthenticationOptions): SignedIn {
  return (handle, rules = {}) =>
    async (request, response) => {
      const person = await admit(options, request, response, rules);
      await whileUnderWay(options, handle(person, request, response));
    };
}

interface CustomerRouteTerms {
  readonly queryParameters: readonly string[];
  /** Whether the route neither reads nor changes anything of the account, whatever its method. */
  readonly touchesNothing: boolean;
}

/** Admits sessions to routes of the customer's API, as `authenticator` of `edges/api/authenticate.ts` admits keys. */
export function sessionAuthenticator(options: SessionAuthenticationOptions) {
  return (handle: CustomerHandler, { queryParameters, touchesNothing }: CustomerRouteTerms): RequestHandler =>
    async (request, response) => {
      const person = await admit(options, request, response, { query: queryParameters });
      if (!touchesNothing) await refuseExcess(options, person, request);
      const work = options.once(person.accountId, request, response, (record) =>
        handle(person, request, response, record),
      );
      await whileUnderWay(options, work);
    };
}

async function refuseExcess(
  { admission }: SessionAuthenticationOptions,
  { accountId, plan }: Person,
  request: Request,
): Promise<void> {
  if (!mayChange(request)) return;
  const { excess, resetSeconds, limit } = await admission.countChange(accountId, plan);
  if (excess > 0) throw rateLimited(resetSeconds, limit);
}

async function admit(
  options: SessionAuthenticationOptions,
  request: Request,
  response: Response,
  {
    query = [],
    onlyOwners = false,
    evenSuspended = false,
    ofAnyAccount = false,
    isPolled = false,
  }: SignedInRules,
): Promise<Person> {
  response.locals.challenge = CHALLENGE;
  requireSameOrigin(request, options.origin);
  const person = await identify(options, request, response, isPolled);
  response.locals.caller = person;
  if (!ofAnyAccount) requireShownAccount(request, person.accountId);
  if (person.isSuspended && !evenSuspended) throw accountSuspended();
  if (onlyOwners) requireOwner(person);
  requireKnownQuery(request, query);
  return person;
}

async function identify(
  { cookie, admission, tarpit }: SessionAuthenticationOptions,
  request: Request,
  response: Response,
  isPolled: boolean,
): Promise<Person> {
  const token = cookie.read(request);
  // A request without a cookie is no failed attempt: each visit to the sign-in page sends such a request.
  if (token === undefined) throw notSignedIn();
  const client = clientOf(request);
  try {
    const { admitPoll, admitChange, admitRead } = admission;
    const admit = isPolled ? admitPoll : mayChange(request) ? admitChange : admitRead;
    const { caller, state } = await admit(token, client);
    if (state.excess > 0) throw rateLimited(state.resetSeconds, state.limit);
    return { ...caller, keyId: null, scope: null, address: client };
  } catch (error) {
    if (error instanceof RepeatedRefusal) await tarpit.hold(response);
    throw error;
  }
}

function mayChange({ method }: Request): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

async function whileUnderWay(
  { underWay }: SessionAuthenticationOptions,
  work: Promise<unknown>,
): Promise<void> {
  underWay.add(work);
  await work.finally(() => underWay.delete(work));
}

/**
 * Checks the header Waypost-Account, which names the account that the page shows. All tabs of a browser share the session and its account.
 * After a switch in another tab, a page must not change an account that it does not show. Throws Refusal CONFLICT if the header names
 * another account. A request without the header passes.
 */
function requireShownAccount(request: Request, accountId: string): void {
  const shown = request.get(ACCOUNT_HEADER);
  if (shown === undefined || shown === accountId) return;
  const message =
    'You have switched to another account in another tab, so nothing was done here. Load this page again.';
  throw new Refusal('CONFLICT', message, { details: { field: ACCOUNT_HEADER } });
}
