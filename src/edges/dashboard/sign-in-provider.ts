/** The OpenID providers, as the rest of the dashboard sees them. */

interface SignInProvider {
  /** The id of the provider in addresses. */
  readonly id: string;
  /** The name of the provider on its button. */
  readonly name: string;
  readonly issuer: string;
}

/** A session of the dashboard that has ended. `idToken` is in plain text. */
export interface SignedOut {
  readonly issuer: string;
  readonly idToken: string | undefined;
}

export interface SignInProviders {
  /** The configured providers, in the order of their buttons. */
  readonly providers: readonly SignInProvider[];
  /** Returns the address that ends the provider's own session. Undefined if the provider has no such address, or is down. */
  readonly endSessionUrl: (signedOut: SignedOut) => Promise<string | undefined>;
}
