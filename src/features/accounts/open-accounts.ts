/**
 * Opens the room of accounts: their keys, people, sessions and audit log. `open-admission.ts` admits requests, and `open-plans.ts` has the
 * plans.
 */
import { verbsOn } from '../../platform/verb.ts';
import { getInvitation, joinAccount } from './accept-invitation.ts';
import { findAccount, findAccountByRef, listAccounts } from './account-store.ts';
import { listAuditEvents } from './audit-store.ts';
import { beginWithIdentity, beginWithLink, beginWithLinked } from './begin-session.ts';
import {
  type AccountsGround,
  changeAccount,
  putAccount,
  registerAccount,
  renameAccount,
} from './change-account.ts';
import { invite, inviteForOperator, revokeInvitation } from './change-invitations.ts';
import { createKeyAs, getAnyKey, revokeAnyKey, revokeKeyAs } from './change-keys.ts';
import { changeRole, removeMember } from './change-members.ts';
import { createSignInLink } from './create-sign-in-link.ts';
import { checkCaller } from './hold-caller.ts';
import { listOpenInvitations } from './invitation-store.ts';
import { listKeys, listUsefulKeys } from './key-store.ts';
import { unlinkIdentity } from './link-identity.ts';
import { endSessionsOfProvider } from './logout-store.ts';
import { listMembers } from './member-store.ts';
import {
  endAllSessions,
  endSession,
  endSessionOfToken,
  findSession,
  findSessionEnd,
  listSessions,
  switchAccount,
} from './session-store.ts';
import { describeUser } from './user-store.ts';

export type Accounts = ReturnType<typeof openAccounts>;

export function openAccounts(options: AccountsGround) {
  const { database } = options;
  return {
    ...verbsOn(database, {
      checkCaller,
      listAuditEvents,
      describeUser,
      unlinkIdentity,
      rename: renameAccount,
    }),
    /** The verbs for operators: they concern all accounts. */
    all: {
      ...verbsOn(options, { register: registerAccount, put: putAccount, createSignInLink }),
      ...verbsOn(database, {
        ...{ find: findAccount, findByRef: findAccountByRef, list: listAccounts, change: changeAccount },
        invite: inviteForOperator,
      }),
    },
    keys: {
      ...verbsOn(options, { create: createKeyAs }),
      ...verbsOn(database, {
        ...{ revoke: revokeKeyAs, revokeAny: revokeAnyKey, getAny: getAnyKey },
        ...{ list: listKeys, listUseful: listUsefulKeys },
      }),
    },
    members: verbsOn(database, { list: listMembers, changeRole, remove: removeMember }),
    invitations: verbsOn(database, {
      ...{ list: listOpenInvitations, create: invite, revoke: revokeInvitation },
      ...{ get: getInvitation, accept: joinAccount },
    }),
    sessions: {
      ...verbsOn(options, { beginWithLink, beginWithIdentity, beginWithLinked }),
      ...verbsOn(database, {
        ...{ find: findSession, findEnd: findSessionEnd, list: listSessions, switchAccount },
        ...{ end: endSession, endAll: endAllSessions, endOfToken: endSessionOfToken },
        endOfProvider: endSessionsOfProvider,
      }),
    },
  };
}
