/** Signing out at the provider, too (OpenID Connect RP-Initiated Logout 1.0, section 2). */
import { buildEndSessionUrl } from 'openid-client';
import type { SignedOut } from '../sign-in-provider.ts';
import { type Providers, providerOfIssuer } from './provider.ts';

/**
 * `origin`: of the dashboard. Where the browser goes next. Undefined when the provider has no such page, or
 * is down: the session here has ended anyway.
 */
export async function endSessionUrl(
  providers: Providers,
  origin: string,
  { issuer, idToken }: SignedOut,
): Promise<string | undefined> {
  const parameters = {
    post_logout_redirect_uri: `${origin}/dashboard/sign-in`,
    ...(idToken !== undefined && { id_token_hint: idToken }),
  };
  try {
    const configuration = await providerOfIssuer(providers, issuer)?.configuration();
    if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined;
    return buildEndSessionUrl(configuration, parameters).href;
  } catch {
    // It is down, or names what is no http(s) address.
    return undefined;
  }
}
