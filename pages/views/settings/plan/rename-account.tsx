/** A dialog that gives the account another name. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { NamedAccount } from '../../../../src/edges/dashboard/wire.ts';
import { ask } from '../../../api/request.ts';
import { useWork } from '../../../parts/action.tsx';
import { announce } from '../../../parts/announce.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { Field } from '../../../parts/field.tsx';
import { faultyField } from '../faulty-field.ts';

const MAX_NAME_LENGTH = 100;

export interface RenameAccountProps {
  /** The name until now. */
  readonly name: string;
  readonly onClose: () => void;
}

export function RenameAccount({ name, onClose }: RenameAccountProps) {
  const client = useQueryClient();
  const [wanted, setWanted] = useState(name);
  const { isBusy, error, failure, run } = useWork(async () => {
    const named = await ask<NamedAccount>('PATCH', 'account', { name: wanted.trim() });
    await client.invalidateQueries({ queryKey: ['session'] });
    announce(`The account is called ${named.name} now.`);
    onClose();
  });
  const isAboutName = faultyField(failure) === 'name';
  return (
    <Dialog title="Rename the account" onClose={onClose}>
      <DialogForm verb="Rename" submit={run} isBusy={isBusy} isDisabled={!wanted.trim()} onClose={onClose}>
        <Field
          label="Name"
          hint="For instance the name of your company. All members see it, and people whom you invite."
          error={isAboutName ? error : undefined}
        >
          {(tied) => (
            <input
              {...tied}
              maxLength={MAX_NAME_LENGTH}
              autocomplete="organization"
              value={wanted}
              onInput={(event) => setWanted(event.currentTarget.value)}
            />
          )}
        </Field>
        <Fault>{isAboutName ? undefined : error}</Fault>
      </DialogForm>
    </Dialog>
  );
}
