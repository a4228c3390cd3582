/** What the routes of the dashboard need of a session. `session-authenticator.ts` provides it. */
import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../accounts/key-store.ts';
import type { Role } from '../accounts/role.ts';

/** A person, in the account that the session is for. */
export interface Person extends Caller {
  readonly keyId: null;
  readonly session: { readonly id: string; readonly userId: string };
  readonly role: Role;
}

type PersonHandler = (person: Person, request: Request, response: Response) => Promise<unknown>;

export interface SignedInRules {
  /** Query parameters that the route knows; default: none. */
  readonly query?: readonly string[];
  /** Others get FORBIDDEN. */
  readonly onlyOwners?: boolean;
  /** Works in a suspended account, too. */
  readonly evenSuspended?: boolean;
  /** Concerns the person alone, whichever account the page shows. */
  readonly ofAnyAccount?: boolean;
}

/** Admits only people with a session, requests of our own pages, and people with requests left. */
export type SignedIn = (handle: PersonHandler, rules?: SignedInRules) => RequestHandler;
