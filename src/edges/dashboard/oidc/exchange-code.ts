/** Exchanges the code of a sign-in for a proven identity. The provider has sent the code through the browser. */
import { authorizationCodeGrant, fetchUserInfo } from 'openid-client';
import { type Claims, type ProvenIdentity, provenIdentity } from './proven-identity.ts';
import type { Provider } from './provider.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';
import { problemOf, SignInFailure } from './sign-in-problem.ts';

export interface Exchanged {
  readonly identity: ProvenIdentity;
  readonly idToken: string;
}

/** Exchanges the code. `callback`: the redirect URI with the query of the request. Throws SignInFailure. */
export async function exchangeCode(
  provider: Provider,
  callback: URL,
  attempt: SignInAttempt,
): Promise<Exchanged> {
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
