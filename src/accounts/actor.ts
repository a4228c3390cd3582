/** Who does something in an account: a key, a person, or the operator of this service. */

/** A key, or a person with a session of the dashboard. */
export interface Actor {
  readonly accountId: string;
  /** Null for a person. */
  readonly keyId: string | null;
  /** Null for a key. */
  readonly session: { readonly id: string; readonly userId: string } | null;
  /** The network address of the client, as the audit log shows it; null if it is unknown. */
  readonly address: string | null;
}

/** A person. */
export interface PersonActor extends Actor {
  readonly keyId: null;
  readonly session: NonNullable<Actor['session']>;
}

/** On the command line. */
export function operatorOf(accountId: string): Actor {
  return { accountId, keyId: null, session: null, address: null };
}

export function isOperator({ keyId, session }: Actor): boolean {
  return keyId === null && session === null;
}
