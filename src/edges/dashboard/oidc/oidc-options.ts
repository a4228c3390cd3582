/** The options of the sign-in with OpenID providers. */
import type { Accounts } from '../../../features/accounts/open-accounts.ts';
import type { Log } from '../../../platform/log.ts';
import type { Secret } from '../../../platform/secret.ts';
import type { BeginSession } from '../begin-session.ts';
import { type Cookie, createCookie } from '../cookie.ts';
import type { SignInLimits } from '../sign-in-limits.ts';
import type { Providers } from './provider.ts';
import { ATTEMPT_MS, createSignInAttempts } from './sign-in-attempt.ts';
import { createSignInComplaints } from './sign-in-problem.ts';

interface OidcNeeds {
  readonly accounts: Pick<Accounts, 'sessions' | 'invitations' | 'unlinkIdentity'>;
  readonly providers: Providers;
  /** The origin of the dashboard, as in https://api.example.net. */
  readonly origin: string;
  /** The domains of verified e-mail addresses whose owners may sign in. Empty: any person may. */
  readonly emailDomains: readonly string[];
  readonly maxBodyBytes: number;
  readonly cookie: Cookie;
  readonly beginSession: BeginSession;
  readonly limits: SignInLimits;
  /** DASHBOARD_SECRET. */
  readonly secret: Secret;
  readonly log: Log;
}

export type OidcOptions = ReturnType<typeof createOidcOptions>;

/** The lifetime of the invitation cookie: a person has time to make an account at the provider. */
const INVITATION_MS = 1_800_000;

export function createOidcOptions(needs: OidcNeeds) {
  const { origin, secret, log } = needs;
  return {
    ...needs,
    attempts: createSignInAttempts(secret),
    attemptCookie: createCookie(origin, 'waypost-sign-in', ATTEMPT_MS),
    invitationCookie: createCookie(origin, 'waypost-invitation', INVITATION_MS),
    complain: createSignInComplaints(log),
  };
}
