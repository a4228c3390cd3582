/** Who does something in an account. */

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
