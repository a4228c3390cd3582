/** The first half of a sign-in: where the browser goes, and what it keeps. */
import { buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client';
import type { Provider } from './provider.ts';
import type { SignInAttempt, SignInAttempts } from './sign-in-attempt.ts';
import { problemOf, SignInFailure } from './sign-in-problem.ts';

/** Linking needs a password, or the like, that is no older than this. */
export const FRESH_SECONDS = 300;

export interface SignInPurpose {
  /** Of our pages. */
  readonly returnTo: string;
  /** The session of whoever links an identity; null for a sign-in. */
  readonly sessionId: string | null;
  /** Of the invitation that it accepts, whose token the browser keeps. */
  readonly invitationId: string | null;
}

/** From our configuration, never from Host: a stranger chooses that. */
export function redirectUri(origin: string, provider: Provider): string {
  return `${origin}/auth/callback/${provider.settings.id}`;
}

/** Throws SignInFailure. */
export async function startSignIn(
  { origin, attempts }: { readonly origin: string; readonly attempts: SignInAttempts },
  provider: Provider,
  purpose: SignInPurpose,
): Promise<{ readonly url: URL; readonly attempt: SignInAttempt }> {
  try {
    const configuration = await provider.configuration();
    const attempt = attempts.begin({ ...purpose, providerId: provider.settings.id });
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri(origin, provider),
      scope: provider.settings.scopes,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      ...(purpose.sessionId !== null && { max_age: String(FRESH_SECONDS) }),
    });
    return { url, attempt };
  } catch (cause) {
    throw new SignInFailure(problemOf(cause), { cause });
  }
}
