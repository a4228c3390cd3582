/** Makes the address that also signs a person out at the provider (OpenID Connect RP-Initiated Logout 1.0, section 2). */
import { buildEndSessionUrl } from 'openid-client';
import type { SignedOut } from '../sign-in-provider.ts';
import { type Providers, providerOfIssuer } from './provider.ts';

/**
 * Returns the address of the provider's page that ends its session. Undefined if the provider has no such page, or is down. The session of
 * the dashboard has ended in any case. `origin`: the origin of the dashboard.
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
    // The provider is down, or its metadata has no http(s) address.
    return undefined;
  }
}
