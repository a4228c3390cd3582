/** Starts a sign-in: makes the address at the provider, and the cookie of the attempt. */
import { buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client';
import type { OidcOptions } from './oidc-options.ts';
import type { Provider } from './provider.ts';
import type { SignInAttempt, SignInPurpose } from './sign-in-attempt.ts';
import { problemOf, SignInFailure } from './sign-in-problem.ts';

/** The longest time between a sign-in at the provider, as by a password, and the linking of an identity. */
export const FRESH_SECONDS = 300;

/** Returns the redirect URI. It comes from the configuration, never from Host, which a stranger can choose. */
export function redirectUri(origin: string, provider: Provider): string {
  return `${origin}/auth/callback/${provider.settings.id}`;
}

/** Starts an attempt. Throws SignInFailure. */
export async function startSignIn(
  { origin, attempts }: OidcOptions,
  provider: Provider,
  purpose: Omit<SignInPurpose, 'providerId'>,
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
