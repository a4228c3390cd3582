/** Makes a member an owner, or an owner a member. */
import type { Member, Role } from '../../../../src/edges/dashboard/wire.ts';
import { Action } from '../../../parts/action.tsx';
import { Dialog } from '../../../parts/dialog.tsx';

export interface ChangeRoleProps {
  readonly member: Member;
  readonly change: (member: Member, role: Role) => Promise<unknown>;
  readonly onClose: () => void;
}

export function ChangeRole({ member, change, onClose }: ChangeRoleProps) {
  const role = member.role === 'owner' ? 'member' : 'owner';
  return (
    <Dialog title={`Make ${member.name} ${role === 'owner' ? 'an owner' : 'a member'}?`} onClose={onClose}>
      <p>{consequence(member, role)}</p>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <Action kind="primary" work={() => change(member, role).then(onClose)}>
          {role === 'owner' ? 'Make owner' : 'Make member'}
        </Action>
      </div>
    </Dialog>
  );
}

function consequence({ you }: Member, role: Role): string {
  if (role === 'owner') return 'Owners can invite, change and remove everybody, you too.';
  return you
    ? 'You can then no longer invite or change people.'
    : 'They can then no longer invite or change people.';
}
