/** Routes of members and invitations of the account. All members see them. Only owners change them, but each member may leave. */
import type { Router } from 'express';
import { answer } from '../../core/web/envelope.ts';
import { readMembers } from '../../core/web/json-body.ts';
import { routesOf } from '../../core/web/routes-of.ts';
import { invitationLink, type OpenInvitation } from '../../features/accounts/invitation-store.ts';
import type { Member as MemberRow } from '../../features/accounts/member-store.ts';
import type { Accounts } from '../../features/accounts/open-accounts.ts';
import type { Role } from '../../features/accounts/role.ts';
import { parseShortText } from '../../features/accounts/short-text.ts';
import { isoSeconds, withShownTimes } from '../../platform/iso-seconds.ts';
import { invalidField } from '../../platform/refusal.ts';
import type { Person, SignedIn } from './signed-in.ts';
import type { CreatedInvitation, Member, Members, OpenInvitation as ShownInvitation } from './wire.ts';

export interface MemberRoutesOptions {
  readonly accounts: Pick<Accounts, 'members' | 'invitations'>;
  readonly maxBodyBytes: number;
  /** The origin of the dashboard, as in https://api.example.net. */
  readonly origin: string;
}

const onlyOwners = { onlyOwners: true };

export function memberRoutes(options: MemberRoutesOptions, signedIn: SignedIn): Router {
  const { maxBodyBytes } = options;
  const { members, invitations } = options.accounts;
  return routesOf({
    '/dashboard/api/members': {
      get: signedIn(async (person, _request, response) => {
        const [joined, invited] = await Promise.all([
          members.list(person.accountId),
          invitations.list(person.accountId),
        ]);
        const shown: Members = {
          members: joined.map((member) => describeMember(member, person)),
          invitations: invited.map(describeInvitation),
        };
        answer(response, 200, shown);
      }),
    },
    '/dashboard/api/members/invitations': {
      post: signedIn(async (person, request, response) => {
        const given = await readMembers(request, response, ['role', 'note'], maxBodyBytes);
        const role = parseRole(given.get('role'));
        const note = parseNote(given.get('note'));
        const created = await invitations.create(person, { role, note });
        const link = invitationLink(options.origin, created.token);
        answer(response, 201, { ...describeInvitation(created), link } satisfies CreatedInvitation);
      }, onlyOwners),
    },
    '/dashboard/api/members/invitations/:id': {
      delete: signedIn(async (person, request, response) => {
        const id = String(request.params.id);
        await invitations.revoke(person, id);
        answer(response, 200, { id, revoked: true });
      }, onlyOwners),
    },
    '/dashboard/api/members/:userId': {
      patch: signedIn(async (person, request, response) => {
        const role = parseRole((await readMembers(request, response, ['role'], maxBodyBytes)).get('role'));
        const member = await members.changeRole(person, String(request.params.userId), role);
        answer(response, 200, describeMember(member, person));
      }, onlyOwners),
      // A member who is not an owner may leave the account, too.
      delete: signedIn(async (person, request, response) => {
        const userId = String(request.params.userId);
        await members.remove(person, userId);
        answer(response, 200, { userId, removed: true });
      }),
    },
  });
}

/** Parses a role. Throws Refusal VALIDATION_ERROR. */
function parseRole(given: unknown): Role {
  if (given === 'owner' || given === 'member') return given;
  throw invalidField('role', given, 'must be owner or member');
}

function parseNote(given: unknown): string | null {
  return given === undefined || given === null ? null : parseShortText('note', given);
}

function describeMember(member: MemberRow, { session }: Person): Member {
  return { ...withShownTimes(member), you: member.userId === session.userId };
}

function describeInvitation({ id, role, note, createdAt, expiresAt }: OpenInvitation): ShownInvitation {
  return { id, role, note, createdAt: isoSeconds(createdAt), expiresAt: isoSeconds(expiresAt) };
}
