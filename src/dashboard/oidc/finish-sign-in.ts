/**
 * What comes back from a provider, told from top to bottom. Each step may fail with a word for the page:
 *
 *   the browser has begun it → in time → at this provider → the code becomes an identity → its e-mail domain
 *   → a sign-in: user, account, session · linking: the identity is added, and the session is a new one
 */
import type { Request, Response } from 'express';
import { admitIdentity } from '../../accounts/admit-identity.ts';
import { invitationIdOf } from '../../accounts/invitation-store.ts';
import { linkIdentity } from '../../accounts/link-identity.ts';
import type { SessionOwner } from '../../accounts/session.ts';
import { findSession } from '../../accounts/session-store.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { Refusal, type RefusalCode } from '../../platform/refusal.ts';
import { clientOf } from '../../web/client-of.ts';
import { type Exchanged, exchangeCode } from './exchange-code.ts';
import type { OidcOptions } from './oidc-options.ts';
import type { ProvenIdentity } from './proven-identity.ts';
import { findProvider } from './provider.ts';
import { type SignInAttempt, startOfState } from './sign-in-attempt.ts';
import { SignInFailure } from './sign-in-problem.ts';
import { FRESH_SECONDS, redirectUri } from './start-sign-in.ts';

/** Between the clocks of two machines. */
const TOLERANCE_SECONDS = 30;

/** A longer one fits into no address. Without it, the provider asks whether to sign out. */
const MAX_HINT_LENGTH = 6 * 1024;

/** The attempt that this request ends. Throws SignInFailure. */
export function getAttempt({ attempts, attemptCookie }: OidcOptions, request: Request): SignInAttempt {
  const { state } = request.query;
  const attempt = attempts.read(attemptCookie.read(request));
  if (attempt !== undefined && attempt.state === state) return attempt;
  const startedAt = startOfState(state);
  const isLate = startedAt !== undefined && attempts.isLate(startedAt);
  throw new SignInFailure(isLate ? 'expired' : 'other-browser');
}

/** Begins a session. Throws SignInFailure. */
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
  const { newId, invitationCookie, beginSession } = options;
  const { identity } = exchanged;
  const invitation = invitationId === null ? undefined : getInvitationToken(options, request, invitationId);
  // Used now, or of no use.
  if (invitation !== undefined) invitationCookie.clear(response);
  const begin = async (transaction: Transaction) => {
    const wanted = { identity, name: identity.name, invitation, address: clientOf(request) };
    const admitted = await admitIdentity(transaction, newId, wanted);
    return { ...admitted, ...sessionOf(exchanged), request };
  };
  await beginSession(response, begin).catch(onRefusal({ NOT_FOUND: 'invitation', CONFLICT: 'invitation' }));
}

/**
 * All tabs share the cookie: another one may have opened another invitation since. Throws SignInFailure, for nobody joins an
 * account that the page did not name.
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
  const begin = async (transaction: Transaction) => {
    await linkIdentity(transaction, person, exchanged.identity);
    return { userId: session.userId, accountId, ...sessionOf(exchanged), request };
  };
  await options
    .beginSession(response, begin)
    .catch(onRefusal({ CONFLICT: 'linked-elsewhere', UNAUTHORIZED: 'signed-out' }));
}

/** Undefined without a valid session. */
export async function findSessionOf(
  { cookie, database }: OidcOptions,
  request: Request,
): Promise<SessionOwner | undefined> {
  const token = cookie.read(request);
  return token === undefined ? undefined : findSession(database, token);
}

/** A provider that does not say when cannot vouch for it. */
function requireFresh({ authenticatedAt }: ProvenIdentity): void {
  const oldest = Date.now() - (FRESH_SECONDS + TOLERANCE_SECONDS) * 1000;
  if (authenticatedAt === null || authenticatedAt.getTime() < oldest) throw new SignInFailure('stale');
}

function sessionOf({ identity, idToken }: Exchanged) {
  const { issuer, subject, sid } = identity;
  const authenticatedAt = identity.authenticatedAt ?? new Date();
  const hint = idToken.length > MAX_HINT_LENGTH ? undefined : idToken;
  return { issuer, subject, sid: sid ?? undefined, idToken: hint, authenticatedAt };
}

function onRefusal(problems: Partial<Record<RefusalCode, SignInFailure['problem']>>) {
  return (cause: unknown): never => {
    const problem = cause instanceof Refusal ? problems[cause.code] : undefined;
    throw problem === undefined ? cause : new SignInFailure(problem, { cause });
  };
}
