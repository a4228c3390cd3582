/** The invitations that are not used yet. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { OpenInvitation } from '../../../../src/edges/dashboard/wire.ts';
import { ask } from '../../../api/request.ts';
import { announce } from '../../../parts/announce.tsx';
import { Card } from '../../../parts/card.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { capital } from '../../../parts/format.ts';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';

export interface OpenInvitationsProps {
  readonly invitations: readonly OpenInvitation[];
  readonly isOwner: boolean;
}

export function OpenInvitations({ invitations, isOwner }: OpenInvitationsProps) {
  const [revoking, setRevoking] = useState<OpenInvitation>();
  return (
    <Card title="Open invitations">
      <Table
        label="Open invitations"
        asCards
        head={[
          'For',
          'Role',
          'Created',
          'Ends',
          ...(isOwner ? [{ name: 'Actions', isNumber: true } as const] : []),
        ]}
      >
        {invitations.map((invitation) => (
          <tr key={invitation.id}>
            <th scope="row">{forWhom(invitation)}</th>
            <td class="nowrap" data-label="Role">
              {capital(invitation.role)}
            </td>
            <td data-label="Created">
              <Time at={invitation.createdAt} />
            </td>
            <td data-label="Ends">
              <Time at={invitation.expiresAt} />
            </td>
            {isOwner && (
              <td class="row-actions">
                <button
                  type="button"
                  class="small"
                  aria-label={`Revoke invitation: ${forWhom(invitation)}`}
                  onClick={() => setRevoking(invitation)}
                >
                  Revoke
                </button>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {revoking && <Revoke invitation={revoking} onClose={() => setRevoking(undefined)} />}
    </Card>
  );
}

interface RevokeProps {
  readonly invitation: OpenInvitation;
  readonly onClose: () => void;
}

function Revoke({ invitation: { id, note, createdAt }, onClose }: RevokeProps) {
  const client = useQueryClient();
  const revoke = async () => {
    await ask('DELETE', `members/invitations/${id}`);
    announce('Revoked the invitation.');
    await client.invalidateQueries({ queryKey: ['members'] });
  };
  return (
    <Confirm
      title="Revoke this invitation?"
      verb="Revoke invitation"
      kind="danger"
      work={revoke}
      onClose={onClose}
    >
      <p>
        The link {note === null ? 'without a note' : `for “${note}”`}, made <Time at={createdAt} />, stops
        working at once.
      </p>
    </Confirm>
  );
}

const forWhom = ({ note }: OpenInvitation) => note ?? 'without a note';
