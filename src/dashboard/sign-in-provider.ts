/** What the rest of the dashboard needs to know of identity providers. */

interface SignInProvider {
  /** As in addresses. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly issuer: string;
}

/** A session that has ended here. `idToken`: in clear. */
export interface SignedOut {
  readonly issuer: string;
  readonly idToken: string | undefined;
}

export interface SignInProviders {
  /** Those that an operator has configured, in the order of their buttons. */
  readonly providers: readonly SignInProvider[];
  /**
   * Where the browser ends the provider's own session. Undefined if the provider has no such address, or is
   * down.
   */
  readonly endSessionUrl: (signedOut: SignedOut) => Promise<string | undefined>;
}
