/** Members and invitations of the account, for people. Everybody sees them, owners change them. */
import { Router } from 'express';
import { invite, revokeInvitation } from '../accounts/change-invitations.ts';
import { changeRole, removeMember } from '../accounts/change-members.ts';
import { invitationLink, listOpenInvitations, type OpenInvitation } from '../accounts/invitation-store.ts';
import { listMembers, type Member as MemberRow } from '../accounts/member-store.ts';
import type { Role } from '../accounts/role.ts';
import { parseShortText } from '../accounts/short-text.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { invalidField } from '../platform/refusal.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { CreatedInvitation, Member, Members, OpenInvitation as ShownInvitation } from './wire.ts';

export interface MemberRoutesOptions {
  readonly database: Database;
  readonly maxBodyBytes: number;
  /** Of the dashboard, as in https://api.example.net. */
  readonly origin: string;
}

export function memberRoutes(options: MemberRoutesOptions, signedIn: SignedIn): Router {
  const { database, maxBodyBytes } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/dashboard/api/members')
    .get(
      signedIn(async (person, _request, response) => {
        const [members, invitations] = await Promise.all([
          listMembers(database, person.accountId),
          listOpenInvitations(database, person.accountId),
        ]);
        const shown: Members = {
          members: members.map((member) => describeMember(member, person)),
          invitations: invitations.map(describeInvitation),
        };
        answer(response, 200, shown);
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/dashboard/api/members/invitations')
    .post(
      signedIn(
        async (person, request, response) => {
          const given = await readMembers(request, response, ['role', 'note'], maxBodyBytes);
          const role = parseRole(given.get('role'));
          const note = parseNote(given.get('note'));
          const created = await invite(database, person, { role, note });
          const link = invitationLink(options.origin, created.token);
          answer(response, 201, { ...describeInvitation(created), link } satisfies CreatedInvitation);
        },
        { onlyOwners: true },
      ),
    )
    .all(methodNotAllowed('POST'));

  router
    .route('/dashboard/api/members/invitations/:id')
    .delete(
      signedIn(
        async (person, request, response) => {
          const id = String(request.params.id);
          await revokeInvitation(database, person, id);
          answer(response, 200, { id, revoked: true });
        },
        { onlyOwners: true },
      ),
    )
    .all(methodNotAllowed('DELETE'));

  router
    .route('/dashboard/api/members/:userId')
    .patch(
      signedIn(
        async (person, request, response) => {
          const role = parseRole((await readMembers(request, response, ['role'], maxBodyBytes)).get('role'));
          const member = await changeRole(database, person, String(request.params.userId), role);
          answer(response, 200, describeMember(member, person));
        },
        { onlyOwners: true },
      ),
    )
    .delete(
      // A member, too, may leave.
      signedIn(async (person, request, response) => {
        const userId = String(request.params.userId);
        await removeMember(database, person, userId);
        answer(response, 200, { userId, removed: true });
      }),
    )
    .all(methodNotAllowed('PATCH', 'DELETE'));

  return router;
}

/** Throws Refusal VALIDATION_ERROR. */
function parseRole(given: unknown): Role {
  if (given === 'owner' || given === 'member') return given;
  throw invalidField('role', given, 'must be owner or member');
}

function parseNote(given: unknown): string | null {
  return given === undefined || given === null ? null : parseShortText('note', given);
}

function describeMember(member: MemberRow, { session }: Person): Member {
  const { userId, name, email, role, joinedAt, lastSeenAt } = member;
  return {
    ...{ userId, name, email, role },
    joinedAt: isoSeconds(joinedAt),
    lastSeenAt: lastSeenAt && isoSeconds(lastSeenAt),
    you: userId === session.userId,
  };
}

function describeInvitation({ id, role, note, createdAt, expiresAt }: OpenInvitation): ShownInvitation {
  return { id, role, note, createdAt: isoSeconds(createdAt), expiresAt: isoSeconds(expiresAt) };
}
