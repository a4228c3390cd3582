/** What signing in with a provider needs. */
import type { NewId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Secret } from '../../platform/secret.ts';
import type { BeginSession } from '../begin-session.ts';
import { type Cookie, createCookie } from '../cookie.ts';
import type { Providers } from './provider.ts';
import { ATTEMPT_MS, createSignInAttempts, type SignInAttempts } from './sign-in-attempt.ts';
import { createSignInLimits, type SignInLimits } from './sign-in-limits.ts';
import { type ComplainOfSignIn, createSignInComplaints } from './sign-in-problem.ts';

export interface OidcNeeds {
  readonly database: Database;
  readonly newId: NewId;
  readonly providers: Providers;
  /** Of the dashboard, as in https://api.example.net. */
  readonly origin: string;
  /** Who may sign in, by verified e-mail address; empty: everybody. */
  readonly emailDomains: readonly string[];
  readonly maxBodyBytes: number;
  readonly cookie: Cookie;
  readonly beginSession: BeginSession;
}

export interface OidcOptions extends OidcNeeds {
  readonly attempts: SignInAttempts;
  readonly attemptCookie: Cookie;
  readonly invitationCookie: Cookie;
  readonly limits: SignInLimits;
  readonly complain: ComplainOfSignIn;
}

/** Long enough to make an account at the provider. */
const INVITATION_MS = 1_800_000;

/** `secret`: of the dashboard. */
export function createOidcOptions(
  needs: OidcNeeds,
  { secret, log }: { readonly secret: Secret; readonly log: Log },
): OidcOptions {
  const { database, origin } = needs;
  return {
    ...needs,
    attempts: createSignInAttempts(secret),
    attemptCookie: createCookie(origin, 'waypost-sign-in', ATTEMPT_MS),
    invitationCookie: createCookie(origin, 'waypost-invitation', INVITATION_MS),
    limits: createSignInLimits(database),
    complain: createSignInComplaints(log),
  };
}
