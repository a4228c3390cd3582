/** Creates a key, and shows it once. */

import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { CreatedKey } from '../../../../src/edges/dashboard/wire.ts';
import { timeNow } from '../../../api/clock.ts';
import { setFreshKey } from '../../../api/fresh-key.ts';
import { ask } from '../../../api/request.ts';
import { useWork } from '../../../parts/action.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Field, fieldError } from '../../../parts/field.tsx';
import { ShownOnce } from '../../../parts/shown-once.tsx';
import { LimitFields, limitOf, limitsOf, type UploadTo, wantedLimits } from './limit-fields.tsx';

const DAY_MS = 86_400_000;
const MAX_NAME_LENGTH = 100;
/** The choices for the life of a key, in days. `''`: the key does not expire. */
const LIVES = [
  { days: '', name: 'Never' },
  { days: '30', name: 'In 30 days' },
  { days: '90', name: 'In 90 days' },
  { days: '365', name: 'In a year' },
];

export interface CreateKeyProps {
  readonly onClose: () => void;
  /** The sitemap that the key may upload to, unless another choice is made. */
  readonly uploadTo?: UploadTo;
}

export function CreateKey({ onClose, uploadTo }: CreateKeyProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const [limits, setLimits] = useState(() => limitsOf(uploadTo));
  const [created, setCreated] = useState<CreatedKey>();
  const { isBusy, failure, run } = useWork(async () => {
    const expiresAt = days && new Date(timeNow() + Number(days) * DAY_MS).toISOString();
    try {
      const key = await ask<CreatedKey>('POST', 'keys', {
        ...{ name, ...(expiresAt && { expiresAt }) },
        ...wantedLimits(limits),
      });
      setFreshKey(key.key);
      setCreated(key);
    } finally {
      // If the answer was lost, no person has the key. The list still shows it.
      void client.invalidateQueries({ queryKey: ['keys'] });
    }
  });
  if (created !== undefined) {
    return (
      <ShownOnce title={`Key “${created.name}”`} secret={created.key} label="the key" onStored={onClose}>
        <p>
          Programs send it in the header <code>X-API-Key</code>.
        </p>
      </ShownOnce>
    );
  }
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <DialogForm verb="Create key" submit={run} isBusy={isBusy} onClose={onClose}>
        <Field
          label="Name"
          hint="Where it is used, as in “Nightly build”."
          error={limitOf(failure) === undefined ? fieldError(failure) : undefined}
        >
          {(tied) => (
            <input
              {...tied}
              required
              maxLength={MAX_NAME_LENGTH}
              autocomplete="off"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <LimitFields limits={limits} failure={failure} onChange={setLimits} />
        <Field label="Expires">
          {(tied) => (
            <select {...tied} value={days} onChange={(event) => setDays(event.currentTarget.value)}>
              {LIVES.map((life) => (
                <option key={life.days} value={life.days}>
                  {life.name}
                </option>
              ))}
            </select>
          )}
        </Field>
      </DialogForm>
    </Dialog>
  );
}
