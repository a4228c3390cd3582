/** Signing in with a one-time link, and signing out. Nobody needs a session here. */
import { type RequestHandler, Router } from 'express';
import { redeemSignInLink } from '../accounts/link-store.ts';
import { rateLimited } from '../accounts/rate-limits.ts';
import { isToken } from '../accounts/secret-token.ts';
import { type EndedSession, endSessionOfToken } from '../accounts/session-store.ts';
import type { Database } from '../platform/postgres/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { clientOf } from '../web/client-of.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { requireKnownQuery } from '../web/known-query.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { BeginSession } from './begin-session.ts';
import type { ClientLimit } from './client-limit.ts';
import type { Cookie } from './cookie.ts';
import type { IdTokenSeal } from './id-token-seal.ts';
import { requireSameOrigin } from './same-origin.ts';
import type { SignInProviders } from './sign-in-provider.ts';
import type { SignInOptions } from './wire.ts';

export interface SignInRoutesOptions extends SignInProviders {
  readonly database: Database;
  readonly origin: string;
  readonly cookie: Cookie;
  readonly seal: IdTokenSeal;
  readonly beginSession: BeginSession;
  /** Attempts to use a one-time link, by client. */
  readonly linkLimit: ClientLimit;
  /** Sign-outs with the token of no session, by client. */
  readonly failedSignOuts: ClientLimit;
  readonly maxBodyBytes: number;
}

export function signInRoutes(options: SignInRoutesOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.route('/dashboard/api/sign-in').get(tellProviders(options)).all(methodNotAllowed('GET', 'HEAD'));
  router.route('/auth/link').post(useLink(options)).all(methodNotAllowed('POST'));
  router.route('/auth/sign-out').post(signOut(options)).all(methodNotAllowed('POST'));
  return router;
}

function tellProviders({ providers }: SignInRoutesOptions): RequestHandler {
  const told: SignInOptions = { providers: providers.map(({ id, name }) => ({ id, name })) };
  return (request, response) => {
    requireKnownQuery(request, []);
    answer(response, 200, told);
  };
}

function useLink(options: SignInRoutesOptions): RequestHandler {
  const { origin, beginSession, linkLimit, maxBodyBytes } = options;
  return async (request, response) => {
    requireSameOrigin(request, origin);
    requireKnownQuery(request, []);
    const blockedSeconds = await linkLimit.count(clientOf(request));
    if (blockedSeconds > 0) throw rateLimited(blockedSeconds);
    const token = (await readMembers(request, response, ['token'], maxBodyBytes)).get('token');
    // Without the value, which may be most of a real one.
    if (typeof token !== 'string' || !isToken(token))
      throw new Refusal('VALIDATION_ERROR', 'token: is not the end of a whole link.', {
        details: { field: 'token' },
      });
    await beginSession(response, async (transaction) => ({
      ...(await redeemSignInLink(transaction, token)),
      authenticatedAt: new Date(),
      request,
    }));
    answer(response, 200, { location: '/dashboard' });
  };
}

/** Whoever has no session is signed out already. */
function signOut(options: SignInRoutesOptions): RequestHandler {
  const { database, origin, cookie, failedSignOuts } = options;
  return async (request, response) => {
    requireSameOrigin(request, origin);
    requireKnownQuery(request, []);
    const client = clientOf(request);
    const token = cookie.read(request);
    const blockedSeconds = token === undefined ? 0 : failedSignOuts.blockedSeconds(client);
    if (blockedSeconds > 0) throw rateLimited(blockedSeconds);
    const ended = token === undefined ? undefined : await endSessionOfToken(database, token);
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
