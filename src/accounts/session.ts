/** Sessions of the dashboard (docs/decisions/0035). */
import { Refusal } from '../platform/refusal.ts';
import type { Caller } from './key-store.ts';
import type { Role } from './role.ts';

/** What a valid session says about its person. */
export interface SessionOwner extends Pick<Caller, 'accountId' | 'plan' | 'isSuspended'> {
  readonly session: { readonly id: string; readonly userId: string };
  readonly role: Role;
}

/** A session ends at the latest after this time, however much it is used. */
export const SESSION_DAYS = 7;

/** The same answer for every cause. */
export function notSignedIn(): Refusal {
  return new Refusal('UNAUTHORIZED', 'You are not signed in, or your session has ended. Sign in again.');
}
