/** All connections, each with the buttons to test, replace and delete it. */
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { BucketConnection } from '../../../../client/src/answers.ts';
import { ask } from '../../../api/request.ts';
import { announce } from '../../../parts/announce.tsx';
import { State } from '../../../parts/chip.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { ConnectionForm } from './connection-form.tsx';
import { TryConnection } from './try-connection.tsx';

interface Open {
  readonly what: 'try' | 'replace' | 'delete';
  readonly row: BucketConnection;
}

const ACTIONS = [
  ['try', 'Test'],
  ['replace', 'Replace keys'],
  ['delete', 'Delete'],
] as const;

export function ConnectionTable({ rows }: { readonly rows: readonly BucketConnection[] }) {
  const [open, setOpen] = useState<Open>();
  const onClose = () => setOpen(undefined);
  return (
    <>
      <Table
        label="Connections"
        asCards
        head={['Name', 'Store', 'Buckets', 'Set', { name: 'Actions', isNumber: true }]}
      >
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">
              {row.name}
              {!row.usable && (
                <span class="below">
                  <State tone="bad">Its keys are lost. Replace them</State>
                </span>
              )}
            </th>
            <td data-label="Store">
              {row.endpoint.replace('https://', '')}
              <span class="below">{row.region}</span>
            </td>
            <td data-label="Buckets">{row.buckets.join(', ')}</td>
            <td data-label="Set">
              <Time at={row.changedAt} />
            </td>
            <td class="row-actions">
              {ACTIONS.map(([what, word]) => (
                <button
                  key={what}
                  type="button"
                  class="small"
                  aria-label={`${word}: ${row.name}`}
                  onClick={() => setOpen({ what, row })}
                >
                  {word}
                </button>
              ))}
            </td>
          </tr>
        ))}
      </Table>
      {open?.what === 'try' && <TryConnection name={open.row.name} onClose={onClose} />}
      {open?.what === 'replace' && <ConnectionForm former={open.row} onClose={onClose} />}
      {open?.what === 'delete' && <DeleteConnection name={open.row.name} onClose={onClose} />}
    </>
  );
}

function DeleteConnection({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const remove = async () => {
    await ask('DELETE', `connections/${encodeURIComponent(name)}`);
    announce(`The connection ${name} is deleted.`);
    await client.invalidateQueries({ queryKey: ['connections'] });
  };
  return (
    <Confirm
      title={`Delete the connection “${name}”?`}
      verb="Delete connection"
      kind="danger"
      work={remove}
      onClose={onClose}
    >
      <p>Its keys are gone for good. A connection that schedules read by is kept, and you are told which.</p>
    </Confirm>
  );
}
