/** Makes an invitation, and shows its link once. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { CreatedInvitation, Role } from '../../../../src/edges/dashboard/wire.ts';
import { ask } from '../../../api/request.ts';
import { useWork } from '../../../parts/action.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { Field } from '../../../parts/field.tsx';
import { ShownOnce } from '../../../parts/shown-once.tsx';
import { Time } from '../../../parts/time.tsx';
import { faultyField } from '../faulty-field.ts';

const MAX_NOTE_LENGTH = 100;

export function Invite({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [role, setRole] = useState<Role>('member');
  const [note, setNote] = useState('');
  const [created, setCreated] = useState<CreatedInvitation>();
  const { isBusy, error, failure, run } = useWork(async () => {
    try {
      setCreated(
        await ask<CreatedInvitation>('POST', 'members/invitations', { role, ...(note && { note }) }),
      );
    } finally {
      void client.invalidateQueries({ queryKey: ['members'] });
    }
  });
  const isAboutNote = faultyField(failure) === 'note';
  if (created !== undefined) {
    return (
      <ShownOnce
        title="Send this link"
        secret={created.link}
        label="the invitation"
        done="Done"
        onStored={onClose}
      >
        <p>
          Whoever opens it first and signs in becomes {created.role === 'owner' ? 'an owner' : 'a member'}. It
          works once and ends <Time at={created.expiresAt} />.{' '}
          <a href={mailOf(created)}>Write an email with it</a>
        </p>
      </ShownOnce>
    );
  }
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <DialogForm verb="Create link" submit={run} isBusy={isBusy} onClose={onClose}>
        <RoleChoice role={role} choose={setRole} />
        <Field
          label="Note"
          hint="For whom it is. Only the members of this account see it. You send the link yourself: Waypost sends nothing."
          error={isAboutNote ? error : undefined}
        >
          {(tied) => (
            <input
              {...tied}
              maxLength={MAX_NOTE_LENGTH}
              autocomplete="off"
              value={note}
              onInput={(event) => setNote(event.currentTarget.value)}
            />
          )}
        </Field>
        <Fault>{isAboutNote ? undefined : error}</Fault>
      </DialogForm>
    </Dialog>
  );
}

/** Returns a link that opens the person's own mail program. A mail by Waypost would come from a stranger. */
function mailOf({ link }: CreatedInvitation): string {
  const subject = 'Join me at Waypost';
  const body = `Open this link and sign in. It works once.\n\n${link}\n`;
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
}

interface RoleChoiceProps {
  readonly role: Role;
  readonly choose: (role: Role) => void;
}

function RoleChoice({ role, choose }: RoleChoiceProps) {
  return (
    <Field
      label="Role"
      hint={
        role === 'owner'
          ? 'May do everything, and invite, remove and change people.'
          : 'May do everything but invite, remove and change people. So a member may also upload, and delete sitemaps and domains.'
      }
    >
      {(tied) => (
        <select {...tied} value={role} onChange={(event) => choose(event.currentTarget.value as Role)}>
          <option value="member">Member</option>
          <option value="owner">Owner</option>
        </select>
      )}
    </Field>
  );
}
