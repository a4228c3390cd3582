/** Begins a session with a new token: at each sign-in, and at each linking of an identity. */
import { inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import type { PersonActor } from './actor.ts';
import { type Admitted, admitIdentity, type SignIn } from './admit-identity.ts';
import { insertAuditEvent } from './audit-store.ts';
import type { AccountsGround } from './change-account.ts';
import { type Identity, lockUser } from './identity-store.ts';
import { linkIdentity } from './link-identity.ts';
import { redeemSignInLink } from './link-store.ts';
import { endOldestSessions, endSessionOfToken, insertSession, type NewSession } from './session-store.ts';

/** The browser of a new session, and how the person was recognized. */
export interface Opening extends Omit<NewSession, 'id' | 'userId' | 'accountId' | 'idToken'> {
  /** The token of the former session of the browser; undefined if it had none. The former session ends. */
  readonly formerToken: string | undefined;
  /** Seals the provider's ID token for a session; returns null without an ID token. */
  readonly sealIdToken: (sessionId: string) => string | null;
}

export interface BegunSession extends Admitted {
  readonly sessionId: string;
}

/**
 * Begins a session by a sign-in link. Throws as `redeemSignInLink` does, and Refusal UNAUTHORIZED when the user or the membership has just
 * been deleted.
 */
export function beginWithLink(
  ground: AccountsGround,
  linkToken: string,
  opening: Opening,
): Promise<BegunSession> {
  return begin(ground, opening, async (transaction) => {
    const link = await redeemSignInLink(transaction, linkToken);
    // The removal of this person ends the former session, too, and locks the user first. Without this lock, both can deadlock.
    await lockUser(transaction, link.userId);
    return link;
  });
}

/**
 * Begins a session by an identity. Throws as `admitIdentity` does, and Refusal UNAUTHORIZED when the user, the membership or the identity
 * has just been deleted.
 */
export function beginWithIdentity(
  ground: AccountsGround,
  signIn: SignIn,
  opening: Opening,
): Promise<BegunSession> {
  return begin(ground, opening, (transaction) => admitIdentity(transaction, ground.newId, signIn));
}

/** Links an identity to a signed-in user, and begins a new session. Throws Refusal as `linkIdentity` does. */
export function beginWithLinked(
  ground: AccountsGround,
  person: PersonActor,
  identity: Identity,
  opening: Opening,
): Promise<BegunSession> {
  return begin(ground, opening, async (transaction) => {
    await linkIdentity(transaction, person, identity);
    return { userId: person.session.userId, accountId: person.accountId };
  });
}

function begin(
  { database, newId }: AccountsGround,
  { formerToken, sealIdToken, ...opening }: Opening,
  admit: (transaction: Transaction) => Promise<Admitted>,
): Promise<BegunSession> {
  return inTransaction(database, async (transaction) => {
    const { userId, accountId } = await admit(transaction);
    // The new session never takes over the former token, because a stranger may have set that token in the browser.
    if (formerToken !== undefined) await endSessionOfToken(transaction, formerToken);
    const id = newId('session');
    await insertSession(transaction, { ...opening, id, userId, accountId, idToken: sealIdToken(id) });
    await endOldestSessions(transaction, userId);
    const actor = { accountId, keyId: null, session: { id, userId }, address: opening.address };
    const subject = opening.issuer ?? 'one-time link';
    await insertAuditEvent(transaction, actor, { action: 'session.started', subject });
    return { sessionId: id, userId, accountId };
  });
}
