/** Asks before a member is removed, or before the person leaves the account. */
import { useQueryClient } from '@tanstack/preact-query';
import type { Member } from '../../../../src/edges/dashboard/wire.ts';
import { ask } from '../../../api/request.ts';
import { leave } from '../../../api/sign-out.ts';
import { isWorking } from '../../../api/tab-work.ts';
import { announce } from '../../../parts/announce.tsx';
import { Confirm } from '../../../parts/confirm.tsx';

export interface RemoveMemberProps {
  readonly member: Member;
  readonly onClose: () => void;
}

export function RemoveMember({ member: { userId, name, you }, onClose }: RemoveMemberProps) {
  const client = useQueryClient();
  const remove = async () => {
    await ask('DELETE', `members/${userId}`);
    if (you) {
      // The session has ended with the membership.
      leave(client, '/dashboard/sign-in', 'left the account');
      return;
    }
    announce(`Removed ${name}.`);
    await client.invalidateQueries({ queryKey: ['members'] });
  };
  return (
    <Confirm
      title={you ? 'Leave this account?' : `Remove ${name}?`}
      verb={you ? 'Leave' : 'Remove'}
      kind="danger"
      work={remove}
      onClose={onClose}
    >
      <p>
        {you
          ? 'You lose access at once, and so do your keys that end with you. To come back, you need an invitation. If you are in no other account, your next sign-in makes a new, empty one.'
          : 'They lose access at once. Their open invitations are revoked, and so are their keys that are set to end with them. Other keys that they created go on working: you can revoke them in the list of keys.'}
      </p>
      {you && isWorking() && <p>This tab is uploading a file. The upload ends if you leave.</p>}
    </Confirm>
  );
}
