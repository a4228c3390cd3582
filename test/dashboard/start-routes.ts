/** Routes of the dashboard over HTTP, without cookies. */
import type { RequestHandler } from 'express';
import { requireKnownQuery } from '../../src/core/web/query-text.ts';
import type { Person, SignedIn } from '../../src/edges/dashboard/signed-in.ts';
import type { PersonActor } from '../../src/features/accounts/actor.ts';
import { accountSuspended, unauthorized } from '../../src/features/accounts/api-key.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { type RouteAnswer, serveRoutes } from '../support/serve-routes.ts';

type CallAs = (person: PersonActor | undefined, route: string, body?: unknown) => Promise<RouteAnswer>;
type RoutesFor = (signedIn: SignedIn) => readonly RequestHandler[];

/**
 * For people whose session is a row; the header `Session` names it. `call(person, 'POST /dashboard/api/keys',
 * body)`.
 */
export async function startRoutes(database: Database, routesFor: RoutesFor): Promise<CallAs> {
  const { call } = await serveRoutes(routesFor(signedInBy((session) => findPerson(database, session))));
  return (person, route, body) =>
    call(route, body, person === undefined ? {} : { session: person.session.id });
}

export interface StartedViews {
  readonly origin: string;
  /** `path`: below /dashboard/api/, with its query. */
  get(accountId: string, path: string): Promise<RouteAnswer>;
}

/** For one person, an owner of whichever account the header `Session` names. */
export async function startViews(routesFor: RoutesFor): Promise<StartedViews> {
  const { origin, call } = await serveRoutes(routesFor(signedInBy(async (account) => ownerOf(account!))));
  return {
    origin,
    get: (accountId, path) => call(`GET /dashboard/api/${path}`, undefined, { session: accountId }),
  };
}

function signedInBy(find: (session: string | undefined) => Promise<Person | undefined>): SignedIn {
  return (handle, { query = [], onlyOwners = false, evenSuspended = false } = {}) =>
    async (request, response) => {
      const person = await find(request.get('session'));
      if (person === undefined) throw unauthorized();
      if (person.isSuspended && !evenSuspended) throw accountSuspended();
      if (onlyOwners && person.role !== 'owner') throw new Refusal('FORBIDDEN', 'Only owners may do this.');
      requireKnownQuery(request, query);
      await handle(person, request, response);
    };
}

function ownerOf(accountId: string): Person {
  return {
    ...{
      accountId,
      keyId: null,
      address: null,
      plan: 'business',
      isSuspended: false,
      role: 'owner',
      scope: null,
    },
    session: { id: 'session_of_test', userId: 'user_of_test' },
  };
}

async function findPerson(database: Database, sessionId: string | undefined): Promise<Person | undefined> {
  const { rows } = await database.query(
    `SELECT s.account_id AS "accountId", s.user_id AS "userId", m.role, a.plan,
            a.suspended_at IS NOT NULL AS "isSuspended"
       FROM sessions s JOIN members m USING (account_id, user_id) JOIN accounts a ON a.id = s.account_id
      WHERE s.id = $1 AND s.expires_at > now()`,
    [sessionId],
  );
  if (rows[0] === undefined) return undefined;
  const { userId, ...person } = rows[0];
  return { ...person, keyId: null, session: { id: sessionId, userId }, address: '192.0.2.7', scope: null };
}
