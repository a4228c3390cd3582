/** Routes of the dashboard over HTTP, for people whose session is a row. The header `Session` names it. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { afterAll } from 'vitest';
import type { PersonActor } from '../../src/accounts/actor.ts';
import { accountSuspended, unauthorized } from '../../src/accounts/api-key.ts';
import type { Person, SignedIn } from '../../src/dashboard/signed-in.ts';
import type { Database } from '../../src/platform/postgres/database.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { createWebComplaints } from '../../src/web/complaints.ts';
import { createWebServer } from '../../src/web/create-web-server.ts';
import { requireKnownQuery } from '../../src/web/known-query.ts';
import { collectLog } from '../support/collect-log.ts';

export interface RouteAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  readonly json: any;
}

export type Call = (person: PersonActor | undefined, route: string, body?: unknown) => Promise<RouteAnswer>;

/** `call(person, 'POST /dashboard/api/keys', body)`. */
export async function startRoutes(
  database: Database,
  mount: (signedIn: SignedIn) => readonly RequestHandler[],
): Promise<Call> {
  const log = collectLog();
  const server = createWebServer(
    {
      complain: createWebComplaints(log),
      reports: { answered: () => {}, refused: () => {} },
      trustedProxies: 0,
      checkHealth: async () => {},
    },
    mount(signedInBy(database)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return async (person, route, body) => {
    const [method, path] = route.split(' ') as [string, string];
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(person && { session: person.session.id }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, json: await answer.json() };
  };
}

function signedInBy(database: Database): SignedIn {
  return (handle, { query = [], onlyOwners = false, evenSuspended = false } = {}) =>
    async (request, response) => {
      const person = await findPerson(database, request.get('session'));
      if (person === undefined) throw unauthorized();
      if (person.isSuspended && !evenSuspended) throw accountSuspended();
      if (onlyOwners && person.role !== 'owner') throw new Refusal('FORBIDDEN', 'Only owners may do this.');
      requireKnownQuery(request, query);
      await handle(person, request, response);
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
  return { ...person, keyId: null, session: { id: sessionId, userId }, address: '192.0.2.7' };
}
