/** Routes that list the providers, sign in with a one-time link, and sign out. They need no session. */
import type { RequestHandler, Router } from 'express';
import { clientOf } from '../../core/web/client-of.ts';
import { answer } from '../../core/web/envelope.ts';
import { requireKnownQuery } from '../../core/web/query-text.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { rateLimited } from '../../features/accounts/rate-limits.ts';
import type { EndedSession } from '../../features/accounts/session-store.ts';
import type { BeginSession } from './begin-session.ts';
import type { Cookie } from './cookie.ts';
import type { IdTokenSeal } from './id-token-seal.ts';
import { readLinkToken } from './link-token.ts';
import { requireSameOrigin } from './same-origin.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { SignInProviders } from './sign-in-provider.ts';
import type { SignInOptions } from './wire.ts';

export interface SignInRoutesOptions extends SignInProviders {
  readonly accounts: Pick<Accounts, 'sessions'>;
  readonly origin: string;
  readonly cookie: Cookie;
  readonly seal: IdTokenSeal;
  readonly beginSession: BeginSession;
  readonly limits: Pick<SignInLimits, 'links' | 'failedSignOuts'>;
  readonly maxBodyBytes: number;
}

export function signInRoutes(options: SignInRoutesOptions): Router {
  return routesOf({
    '/dashboard/api/sign-in': { get: tellProviders(options) },
    '/auth/link': { post: useLink(options) },
    '/auth/sign-out': { post: signOut(options) },
  });
}

function tellProviders({ providers }: SignInRoutesOptions): RequestHandler {
  const told: SignInOptions = { providers: providers.map(({ id, name }) => ({ id, name })) };
  return (request, response) => {
    requireKnownQuery(request, []);
    answer(response, 200, told);
  };
}

function useLink(options: SignInRoutesOptions): RequestHandler {
  const { accounts, origin, beginSession, limits, maxBodyBytes } = options;
  return async (request, response) => {
    requireSameOrigin(request, origin);
    requireKnownQuery(request, []);
    const blockedSeconds = await limits.links.count(clientOf(request));
    if (blockedSeconds > 0) throw rateLimited(blockedSeconds);
    const token = await readLinkToken(request, response, maxBodyBytes);
    const byLink = {
      issuer: null,
      subject: null,
      sid: null,
      idToken: undefined,
      authenticatedAt: new Date(),
    };
    await beginSession(request, response, byLink, (opening) =>
      accounts.sessions.beginWithLink(token, opening),
    );
    answer(response, 200, { location: '/dashboard' });
  };
}

/** Signs out. A browser without a session is signed out already, so it gets the same answer. */
function signOut(options: SignInRoutesOptions): RequestHandler {
  const { accounts, origin, cookie } = options;
  const { failedSignOuts } = options.limits;
  return async (request, response) => {
    requireSameOrigin(request, origin);
    requireKnownQuery(request, []);
    const client = clientOf(request);
    const token = cookie.read(request);
    const blockedSeconds = token === undefined ? 0 : failedSignOuts.blockedSeconds(client);
    if (blockedSeconds > 0) throw rateLimited(blockedSeconds);
    const ended = token === undefined ? undefined : await accounts.sessions.endOfToken(token);
    if (token !== undefined && ended === undefined) await failedSignOuts.count(client);
    cookie.clear(response);
    const location = (ended && (await endAtProvider(options, ended))) ?? '/dashboard/sign-in';
    answer(response, 200, { location });
  };
}

async function endAtProvider(
  { seal, endSessionUrl }: SignInRoutesOptions,
  { id, issuer, idToken }: EndedSession,
): Promise<string | undefined> {
  if (issuer === null) return undefined;
  return endSessionUrl({ issuer, idToken: idToken === null ? undefined : seal.open(id, idToken) });
}
