/** The types by which routes of the dashboard require a session. `session-authenticator.ts` implements them. */
import type { Request, RequestHandler, Response } from 'express';
import type { PersonActor } from '../../features/accounts/actor.ts';
import type { Caller } from '../../features/accounts/key-store.ts';
import type { Role } from '../../features/accounts/role.ts';

export type Person = Caller & PersonActor & { readonly role: Role };

type PersonHandler = (person: Person, request: Request, response: Response) => Promise<unknown>;

export interface SignedInRules {
  /** Query parameters that the route knows; default: none. */
  readonly query?: readonly string[];
  /** Whether only owners may call the route. Other members get FORBIDDEN. */
  readonly onlyOwners?: boolean;
  /** Whether the route works in a suspended account, too. */
  readonly evenSuspended?: boolean;
  /** Whether pages poll the route. Polls have a limit of their own. */
  readonly isPolled?: boolean;
  /** Whether the route concerns the person alone. Then the route also answers a page that shows another account. */
  readonly ofAnyAccount?: boolean;
}

/** Makes a handler that admits only requests with a session, within the rate limit, and admits changes only from our own pages. */
export type SignedIn = (handle: PersonHandler, rules?: SignedInRules) => RequestHandler;
