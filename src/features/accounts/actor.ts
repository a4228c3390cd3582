/** The actor behind a change in an account: a key, a person, or the operator of this service. */

/** A key, or a person with a session of the dashboard. */
export interface Actor {
  readonly accountId: string;
  /** The id of the key; null for a person. */
  readonly keyId: string | null;
  /** The session of the person; null for a key. */
  readonly session: { readonly id: string; readonly userId: string } | null;
  /** The network address of the client, as the audit log shows it; null if it is unknown. */
  readonly address: string | null;
}

/** An actor that is a person with a session. */
export interface PersonActor extends Actor {
  readonly keyId: null;
  readonly session: NonNullable<Actor['session']>;
}

/** Returns the operator as an actor, for the command line. */
export function operatorOf(accountId: string): Actor {
  return { accountId, keyId: null, session: null, address: null };
}

export function isOperator({ keyId, session }: Actor): boolean {
  return keyId === null && session === null;
}
