/** The members, each with the actions that the person may take. There are none for the only owner. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Member, Role } from '../../../../src/edges/dashboard/wire.ts';
import { ask } from '../../../api/request.ts';
import { announce } from '../../../parts/announce.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { ChangeRole } from './change-role.tsx';
import { RemoveMember } from './remove-member.tsx';

export interface MemberTableProps {
  readonly members: readonly Member[];
  readonly isOwner: boolean;
}

export function MemberTable({ members, isOwner }: MemberTableProps) {
  const client = useQueryClient();
  const [changing, setChanging] = useState<Member>();
  const [removing, setRemoving] = useState<Member>();
  const isOnlyOwner = members.filter(({ role }) => role === 'owner').length === 1;
  const changeRole = async (member: Member, role: Role) => {
    await ask('PATCH', `members/${member.userId}`, { role });
    announce(`${member.name} is ${role === 'owner' ? 'an owner' : 'a member'} now.`);
    await client.invalidateQueries();
  };
  return (
    <>
      <Table
        label="Members"
        asCards
        head={['Name', 'Role', 'Joined', 'Last seen', { name: 'Actions', isNumber: true }]}
      >
        {members.map((member) => (
          <tr key={member.userId}>
            <Who member={member} />
            <td class="nowrap" data-label="Role">
              {member.role === 'owner' ? 'Owner' : 'Member'}
            </td>
            <td data-label="Joined">
              <Time at={member.joinedAt} />
            </td>
            <td data-label="Last seen">
              <Time at={member.lastSeenAt} absent="not yet" />
            </td>
            <td class="row-actions">
              {member.role === 'owner' && isOnlyOwner ? (
                <span class="quiet">the only owner</span>
              ) : (
                <Actions
                  member={member}
                  isOwner={isOwner}
                  change={() => setChanging(member)}
                  remove={() => setRemoving(member)}
                />
              )}
            </td>
          </tr>
        ))}
      </Table>
      {isOnlyOwner && isOwner && members.length > 1 && (
        <p class="quiet">Before the only owner leaves, make somebody else an owner.</p>
      )}
      {changing && (
        <ChangeRole member={changing} change={changeRole} onClose={() => setChanging(undefined)} />
      )}
      {removing && <RemoveMember member={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function Who({ member: { name, email, you } }: { readonly member: Member }) {
  return (
    <th scope="row">
      {name} {you && <span class="quiet">(you)</span>}
      {email !== null && email !== name && <span class="below">{email}</span>}
    </th>
  );
}

interface ActionsProps {
  readonly member: Member;
  readonly isOwner: boolean;
  readonly change: () => void;
  readonly remove: () => void;
}

function Actions({ member, isOwner, change, remove }: ActionsProps) {
  const { name, you } = member;
  return (
    <span class="buttons">
      {isOwner && (
        <button type="button" class="small" aria-label={`Change role of ${name}`} onClick={change}>
          Change role
        </button>
      )}
      {(isOwner || you) && (
        <button
          type="button"
          class="small"
          aria-label={you ? 'Leave this account' : `Remove ${name}`}
          onClick={remove}
        >
          {you ? 'Leave' : 'Remove'}
        </button>
      )}
    </span>
  );
}
