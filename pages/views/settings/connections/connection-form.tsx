/** Adds a connection, or replaces one with its keys. The person types the keys each time, because the service never shows them. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { BucketConnection } from '../../../../client/src/answers.ts';
import { ask } from '../../../api/request.ts';
import { useWork } from '../../../parts/action.tsx';
import { announce } from '../../../parts/announce.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Fault } from '../../../parts/fault.tsx';
import { Field, fieldError } from '../../../parts/field.tsx';
import { VERBATIM } from '../../../parts/verbatim.ts';
import { faultyField } from '../faulty-field.ts';

export interface ConnectionFormProps {
  /** The connection to replace. Undefined: add a new one. */
  readonly former?: BucketConnection;
  readonly onClose: () => void;
}

interface Typed {
  readonly name: string;
  readonly endpoint: string;
  readonly region: string;
  readonly buckets: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

interface TextField {
  readonly name: keyof Typed;
  readonly label: string;
  readonly hint?: string;
  readonly isOptional?: true;
  readonly isSecret?: true;
}

const PLACE: readonly TextField[] = [
  {
    name: 'endpoint',
    label: 'Address of the store',
    hint: 'As in https://s3.example.net. Empty: Amazon S3.',
    isOptional: true,
  },
  {
    name: 'region',
    label: 'Region',
    hint: 'As in eu-central-1. Stores without regions take us-east-1, some auto.',
  },
  {
    name: 'buckets',
    label: 'Buckets',
    hint: 'The names of those that it may read, with blanks between them.',
  },
];
const KEYS: readonly TextField[] = [
  { name: 'accessKeyId', label: 'Access key ID' },
  {
    name: 'secretAccessKey',
    label: 'Secret access key',
    hint: 'It needs s3:GetObject, and s3:ListBucket for addresses with *.',
    isSecret: true,
  },
  {
    name: 'sessionToken',
    label: 'Session token',
    hint: 'Only of temporary keys.',
    isOptional: true,
    isSecret: true,
  },
];

export function ConnectionForm({ former, onClose }: ConnectionFormProps) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<Typed>({
    ...{ name: former?.name ?? '', endpoint: former?.endpoint ?? '', region: former?.region ?? '' },
    ...{ buckets: former?.buckets.join(' ') ?? '', accessKeyId: '', secretAccessKey: '', sessionToken: '' },
  });
  const { isBusy, failure, error, run } = useWork(async () => {
    const { name, endpoint, buckets, sessionToken, ...others } = typed;
    await ask('PUT', `connections/${encodeURIComponent(name)}`, {
      ...{ kind: 's3', ...others, buckets: buckets.split(/[\s,]+/).filter(Boolean) },
      ...(endpoint !== '' && { endpoint: endpoint.trim() }),
      ...(sessionToken !== '' && { sessionToken }),
    });
    announce(`The connection ${name} is saved.`);
    await client.invalidateQueries({ queryKey: ['connections'] });
    onClose();
  });
  const faulty = faultyField(failure) ?? '';
  const input = ({ name, label, hint, isOptional, isSecret }: TextField) => (
    <Field key={name} label={label} hint={hint} error={faulty === name ? fieldError(failure) : undefined}>
      {(tied) => (
        <input
          {...tied}
          type={isSecret ? 'password' : 'text'}
          required={!isOptional}
          {...VERBATIM}
          value={typed[name]}
          onInput={({ currentTarget: { value } }) => setTyped({ ...typed, [name]: value })}
        />
      )}
    </Field>
  );
  return (
    <Dialog
      title={former === undefined ? 'Add a connection' : `Replace the connection “${former.name}”`}
      onClose={onClose}
    >
      <DialogForm verb="Save connection" submit={run} isBusy={isBusy} onClose={onClose}>
        {former === undefined &&
          input({
            name: 'name',
            label: 'Name',
            hint: 'Lower-case letters, digits and hyphens, as in warehouse.',
          })}
        {PLACE.map(input)}
        {former !== undefined && (
          <p class="quiet">Type the keys again, or new ones. Nobody sees the former ones.</p>
        )}
        {KEYS.map(input)}
        <Fault>{faulty === '' || !Object.hasOwn(typed, faulty) ? error : undefined}</Fault>
      </DialogForm>
    </Dialog>
  );
}
