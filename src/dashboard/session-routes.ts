/** Sessions over HTTP: whose it is, switching the account, ending sessions. */

import { Router } from 'express';
import { notSignedIn } from '../accounts/session.ts';
import {
  endAllSessions,
  endSession,
  findSessionEnd,
  listSessions,
  switchAccount,
} from '../accounts/session-store.ts';
import { describeUser } from '../accounts/user-store.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { isStorable } from '../platform/postgres/storable-text.ts';
import { invalidField, Refusal } from '../platform/refusal.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { Cookie } from './cookie.ts';
import type { SignInProviders } from './sign-in-provider.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { OpenSession, SessionState } from './wire.ts';

export interface SessionRoutesOptions extends Pick<SignInProviders, 'providers'> {
  readonly database: Database;
  readonly origin: string;
  readonly cookie: Cookie;
  readonly maxBodyBytes: number;
}

/** What a person does to sessions works in a suspended account, too. */
const evenSuspended = { evenSuspended: true, ofAnyAccount: true };

export function sessionRoutes(options: SessionRoutesOptions, signedIn: SignedIn): Router {
  const { database, cookie, maxBodyBytes } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/dashboard/api/session')
    .get(
      signedIn(async (person, _request, response) => {
        answer(response, 200, await describeSession(options, person));
      }, evenSuspended),
    )
    .post(
      signedIn(async (person, request, response) => {
        const members = await readMembers(request, response, ['accountId'], maxBodyBytes);
        const accountId = members.get('accountId');
        if (typeof accountId !== 'string' || !isStorable(accountId))
          throw invalidField('accountId', accountId, 'must be the id of an account');
        const isSwitched = await switchAccount(database, person.session, accountId);
        if (!isSwitched) throw new Refusal('FORBIDDEN', 'You are not a member of this account.');
        answer(response, 200, { accountId });
      }, evenSuspended),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'POST'));

  router
    .route('/dashboard/api/sessions')
    .get(
      signedIn(async ({ session }, _request, response) => {
        const sessions = await listSessions(database, session.userId);
        answer(
          response,
          200,
          sessions.map(
            ({ id, createdAt, lastSeenAt, ...client }): OpenSession => ({
              ...{ id, current: id === session.id, ...client },
              createdAt: isoSeconds(createdAt),
              lastSeenAt: isoSeconds(lastSeenAt),
            }),
          ),
        );
      }, evenSuspended),
    )
    .delete(
      signedIn(async ({ session }, _request, response) => {
        await endAllSessions(database, session.userId);
        cookie.clear(response);
        answer(response, 200, { location: '/dashboard/sign-in' });
      }, evenSuspended),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'DELETE'));

  router
    .route('/dashboard/api/sessions/:id')
    .delete(
      signedIn(async ({ session }, request, response) => {
        const id = String(request.params.id);
        if (!(await endSession(database, session.userId, id)))
          throw new Refusal('NOT_FOUND', 'You have no such session.');
        if (id === session.id) cookie.clear(response);
        answer(response, 200, { id });
      }, evenSuspended),
    )
    .all(methodNotAllowed('DELETE'));

  return router;
}

/** Throws Refusal UNAUTHORIZED when the session has ended since. */
async function describeSession(
  { database, providers, origin }: SessionRoutesOptions,
  { accountId, session, plan, isSuspended }: Person,
): Promise<SessionState> {
  const [user, end] = await Promise.all([
    describeUser(database, session.userId),
    findSessionEnd(database, session.id),
  ]);
  const account = user?.accounts.find(({ id }) => id === accountId);
  if (user === undefined || account === undefined || end === undefined) throw notSignedIn();
  const { id, name, email, accounts, identities } = user;
  return {
    user: { id, name, email },
    account,
    accounts,
    identities: identities.map((identity) => ({
      ...identity,
      providerName: providers.find(({ issuer }) => issuer === identity.issuer)?.name ?? null,
      lastSignInAt: isoSeconds(new Date(identity.lastSignInAt)),
    })),
    plan,
    suspended: isSuspended,
    expiresAt: isoSeconds(end),
    apiOrigin: origin,
  };
}
