/** Routes of sessions: they show a session, switch its account, and end sessions. */
import type { Router } from 'express';
import { answer } from '../../core/web/envelope.ts';
import { readMembers } from '../../core/web/json-body.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import { notSignedIn } from '../../features/accounts/session.ts';
import { isoSeconds, withShownTimes } from '../../platform/iso-seconds.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import { isStorable } from '../../platform/storable-text.ts';
import type { Cookie } from './cookie.ts';
import type { SignInProviders } from './sign-in-provider.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { Help, OpenSession, SessionState } from './wire.ts';

export interface SessionRoutesOptions extends Pick<SignInProviders, 'providers'> {
  readonly accounts: Pick<Accounts, 'sessions' | 'describeUser'>;
  readonly origin: string;
  readonly cookie: Cookie;
  readonly maxBodyBytes: number;
  readonly help: Help;
  readonly submitsUrls: boolean;
}

/** The rules of these routes. They also work in a suspended account, and for a page that shows another account. */
const evenSuspended = { evenSuspended: true, ofAnyAccount: true };

export function sessionRoutes(options: SessionRoutesOptions, signedIn: SignedIn): Router {
  const { cookie, maxBodyBytes } = options;
  const { sessions } = options.accounts;
  return routesOf({
    '/dashboard/api/session': {
      get: signedIn(async (person, _request, response) => {
        answer(response, 200, await describeSession(options, person));
      }, evenSuspended),
      post: signedIn(async (person, request, response) => {
        const members = await readMembers(request, response, ['accountId'], maxBodyBytes);
        const accountId = members.get('accountId');
        if (typeof accountId !== 'string' || !isStorable(accountId))
          throw invalidField('accountId', accountId, 'must be the id of an account');
        const isSwitched = await sessions.switchAccount(person.session, accountId);
        if (!isSwitched) throw new Refusal('FORBIDDEN', 'You are not a member of this account.');
        answer(response, 200, { accountId });
      }, evenSuspended),
    },
    '/dashboard/api/sessions': {
      get: signedIn(async ({ session }, _request, response) => {
        const open = await sessions.list(session.userId);
        const shown: OpenSession[] = open.map((one) => ({
          ...withShownTimes(one),
          current: one.id === session.id,
        }));
        answer(response, 200, shown);
      }, evenSuspended),
      delete: signedIn(async ({ session }, _request, response) => {
        await sessions.endAll(session.userId);
        cookie.clear(response);
        answer(response, 200, { location: '/dashboard/sign-in' });
      }, evenSuspended),
    },
    '/dashboard/api/sessions/:id': {
      delete: signedIn(async ({ session }, request, response) => {
        const id = String(request.params.id);
        if (!(await sessions.end(session.userId, id)))
          throw new Refusal('NOT_FOUND', 'You have no such session.');
        if (id === session.id) cookie.clear(response);
        answer(response, 200, { id });
      }, evenSuspended),
    },
  });
}

/** Describes the session. Throws Refusal UNAUTHORIZED if the session has ended meanwhile, or its user has left the account. */
async function describeSession(
  { accounts: { describeUser, sessions }, providers, origin, help, submitsUrls }: SessionRoutesOptions,
  { accountId, session, plan, isSuspended }: Person,
): Promise<SessionState> {
  const [user, end] = await Promise.all([describeUser(session.userId), sessions.findEnd(session.id)]);
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
    submitsUrls,
    help,
  };
}
