/** Sessions of the dashboard (docs/decisions/0035). */
import { Refusal } from '../../platform/refusal.ts';
import type { Caller } from './key-store.ts';
import type { Role } from './role.ts';

/** The account and the person that a valid session names. */
export interface SessionOwner extends Pick<Caller, 'accountId' | 'plan' | 'isSuspended'> {
  readonly session: { readonly id: string; readonly userId: string };
  readonly role: Role;
}

/** A session ends at the latest after this time, however much it is used. */
export const SESSION_DAYS = 7;

/** Returns the same refusal for every cause. */
export function notSignedIn(): Refusal {
  return new Refusal('UNAUTHORIZED', 'You are not signed in, or your session has ended. Sign in again.');
}
