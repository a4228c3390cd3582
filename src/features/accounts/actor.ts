/** The actor behind a change in an account: a key, a person, a schedule, or the operator of this service. */

/** A key, a person with a session of the dashboard, a schedule, or an operator. An operator has neither key, session nor schedule. */
export interface Actor {
  readonly accountId: string;
  /** The id of the key; null for all other actors. */
  readonly keyId: string | null;
  /** The session of the person; null for all other actors. */
  readonly session: { readonly id: string; readonly userId: string } | null;
  /** The network address of the client, as the audit log shows it; null if it is unknown. */
  readonly address: string | null;
  /** The name of the token with which an operator acts; null for the command line. Other actors have none. */
  readonly token?: string | null;
  /**
   * The id of the schedule. Other actors have none. A schedule acts for its account, and not for the person or key that made the schedule.
   */
  readonly scheduleId?: string;
  /** Set for work of a person that goes on after the session, such as a load. The work ends when the person is no longer a member. */
  readonly outlivesSession?: true;
}

export interface PersonActor extends Actor {
  readonly keyId: null;
  readonly session: NonNullable<Actor['session']>;
}

/** An operator, by the command line or by the operator's API. */
export interface Operator {
  /** The name of the token; null for the command line. */
  readonly token: string | null;
  readonly address: string | null;
}

export const COMMAND_LINE: Operator = { token: null, address: null };

export function operatorOf(accountId: string, { token, address }: Operator = COMMAND_LINE): Actor {
  return { accountId, keyId: null, session: null, address, token };
}

export function isOperator({ keyId, session, scheduleId }: Actor): boolean {
  return keyId === null && session === null && scheduleId === undefined;
}

/** Returns the name of an operator for the audit log and for other rows that name their operator. */
export function nameOfOperator({ token = null }: Pick<Actor, 'token'>): string {
  return token === null ? 'operator' : `operator token ${token}`;
}
