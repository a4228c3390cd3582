/**
 * Finishes a sign-in, when the browser comes back from a provider. Each step may fail with a problem for the page:
 *
 *   this browser began it → in time → at this provider → the code becomes an identity → the e-mail domain is allowed
 *   → a sign-in: user, account, session · linking: the identity is added, and the session is a new one
 */
import type { Request, Response } from 'express';
import { authorizationCodeGrant, fetchUserInfo } from 'openid-client';
import { clientOf } from '../../../core/web/client-of.ts';
import { invitationIdOf } from '../../../features/accounts/invitation-store.ts';
import type { SessionOwner } from '../../../features/accounts/session.ts';
import { Refusal, type RefusalCode } from '../../../platform/refusal.ts';
import type { Recognized } from '../begin-session.ts';
import type { OidcOptions } from './oidc-options.ts';
import { type Claims, type ProvenIdentity, provenIdentity } from './proven-identity.ts';
import { findProvider, type Provider } from './provider.ts';
import { type SignInAttempt, startOfState } from './sign-in-attempt.ts';
import { problemOf, SignInFailure } from './sign-in-problem.ts';
import { FRESH_SECONDS, redirectUri } from './start-sign-in.ts';

/** The clocks of two machines may differ by this much. */
const TOLERANCE_SECONDS = 30;

/** The longest ID token that fits into the address of the sign-out. Without the token, the provider asks whether to sign out. */
const MAX_HINT_LENGTH = 6 * 1024;

/** Returns the sign-in attempt that this request ends. Throws SignInFailure. */
export function getAttempt({ attempts, attemptCookie }: OidcOptions, request: Request): SignInAttempt {
  const { state } = request.query;
  const attempt = attempts.read(attemptCookie.read(request));
  if (attempt !== undefined && attempt.state === state) return attempt;
  const startedAt = startOfState(state);
  const isLate = startedAt !== undefined && attempts.isLate(startedAt);
  throw new SignInFailure(isLate ? 'expired' : 'other-browser');
}

/** Ends the attempt, and begins a session of the person who signed in or linked an identity. Throws SignInFailure. */
export async function finishSignIn(
  options: OidcOptions,
  attempt: SignInAttempt,
  request: Request,
  response: Response,
): Promise<void> {
  if (options.attempts.isLate(attempt.startedAt)) throw new SignInFailure('expired');
  const provider = findProvider(options.providers, request.params.provider);
  if (provider === undefined || provider.settings.id !== attempt.providerId)
    throw new SignInFailure('failed');
  const callback = new URL(redirectUri(options.origin, provider));
  callback.search = new URL(request.url, options.origin).search;
  const exchanged = await exchangeCode(provider, callback, attempt);
  requireAllowedEmail(options.emailDomains, exchanged.identity);
  if (attempt.sessionId !== null) await link(options, attempt.sessionId, exchanged, request, response);
  else await signIn(options, attempt, exchanged, request, response);
}

function requireAllowedEmail(allowed: readonly string[], { emailDomain }: ProvenIdentity): void {
  if (allowed.length === 0 || (emailDomain !== undefined && allowed.includes(emailDomain))) return;
  throw new SignInFailure('email-domain');
}

async function signIn(
  options: OidcOptions,
  { invitationId }: SignInAttempt,
  exchanged: Exchanged,
  request: Request,
  response: Response,
): Promise<void> {
  const { accounts, invitationCookie, beginSession } = options;
  const { identity } = exchanged;
  const invitation = invitationId === null ? undefined : getInvitationToken(options, request, invitationId);
  // The sign-in uses the invitation, or fails because the invitation cannot be used. In both cases the cookie has done its work.
  if (invitation !== undefined) invitationCookie.clear(response);
  const wanted = { identity, name: identity.name, invitation, address: clientOf(request) };
  await beginSession(request, response, recognizedBy(exchanged), (opening) =>
    accounts.sessions.beginWithIdentity(wanted, opening),
  ).catch(onRefusal({ NOT_FOUND: 'invitation', CONFLICT: 'invitation' }));
}

/**
 * Returns the token of the attempt's invitation. Throws SignInFailure if the cookie has no token or another one: all tabs share the cookie,
 * and a person must not join an account that the page did not name.
 */
export function getInvitationToken(
  { invitationCookie }: OidcOptions,
  request: Request,
  invitationId: string,
): string {
  const token = invitationCookie.read(request);
  if (token === undefined || invitationIdOf(token) !== invitationId)
    throw new SignInFailure('other-invitation');
  return token;
}

async function link(
  options: OidcOptions,
  sessionId: string,
  exchanged: Exchanged,
  request: Request,
  response: Response,
): Promise<void> {
  requireFresh(exchanged.identity);
  const owner = await findSessionOf(options, request);
  if (owner === undefined || owner.session.id !== sessionId) throw new SignInFailure('signed-out');
  const { accountId, session } = owner;
  const person = { accountId, keyId: null, session, address: clientOf(request) } as const;
  await options
    .beginSession(request, response, recognizedBy(exchanged), (opening) =>
      options.accounts.sessions.beginWithLinked(person, exchanged.identity, opening),
    )
    .catch(onRefusal({ CONFLICT: 'linked-elsewhere', UNAUTHORIZED: 'signed-out' }));
}

/** Returns the session of the browser; undefined without a valid one. */
export async function findSessionOf(
  { cookie, accounts }: OidcOptions,
  request: Request,
): Promise<SessionOwner | undefined> {
  const token = cookie.read(request);
  return token === undefined ? undefined : accounts.sessions.find(token);
}

/** Throws SignInFailure unless the provider says that the person signed in a short time ago. */
function requireFresh({ authenticatedAt }: ProvenIdentity): void {
  const oldest = Date.now() - (FRESH_SECONDS + TOLERANCE_SECONDS) * 1000;
  if (authenticatedAt === null || authenticatedAt.getTime() < oldest) throw new SignInFailure('stale');
}

function recognizedBy({ identity, idToken }: Exchanged): Recognized {
  const { issuer, subject, sid } = identity;
  const authenticatedAt = identity.authenticatedAt ?? new Date();
  const hint = idToken.length > MAX_HINT_LENGTH ? undefined : idToken;
  return { issuer, subject, sid, idToken: hint, authenticatedAt };
}

function onRefusal(problems: Partial<Record<RefusalCode, SignInFailure['problem']>>) {
  return (cause: unknown): never => {
    const problem = cause instanceof Refusal ? problems[cause.code] : undefined;
    throw problem === undefined ? cause : new SignInFailure(problem, { cause });
  };
}

interface Exchanged {
  readonly identity: ProvenIdentity;
  readonly idToken: string;
}

/** Exchanges the code. `callback`: the redirect URI with the query of the request. Throws SignInFailure. */
async function exchangeCode(provider: Provider, callback: URL, attempt: SignInAttempt): Promise<Exchanged> {
  try {
    const configuration = await provider.configuration();
    // The call checks state and iss of the answer, and of the ID token: signature, iss, aud, azp, exp, nonce.
    const tokens = await authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more =
      hasUserInfo && (claims.email === undefined || claims.name === undefined)
        ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : {};
    return { identity: provenIdentity(joined(claims, more)), idToken: tokens.id_token! };
  } catch (cause) {
    throw new SignInFailure(problemOf(cause), { cause });
  }
}

/** Joins two sets of claims. `email` and `email_verified` must come from the same set. */
function joined(claims: Claims, more: Claims): Claims {
  const { email, email_verified } = claims.email === undefined ? more : claims;
  return { ...claims, name: claims.name ?? more.name, email, email_verified };
}
