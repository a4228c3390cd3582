/** All keys. Keys that no longer work come last. */

import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { KeyRow } from '../../../../src/edges/dashboard/wire.ts';
import { timeNow } from '../../../api/clock.ts';
import { ask } from '../../../api/request.ts';
import { announce } from '../../../parts/announce.tsx';
import { State } from '../../../parts/chip.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';

/** A key that was used within this time is probably in a program. */
const IN_USE_MS = 60 * 60_000;

export function KeyTable({ rows }: { readonly rows: readonly KeyRow[] }) {
  const [revoking, setRevoking] = useState<KeyRow>();
  return (
    <>
      <Table
        label="Keys"
        asCards
        head={['Name', 'May', 'State', 'Created', 'Last used', { name: 'Actions', isNumber: true }]}
      >
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">
              {row.name}
              <span class="below">
                <code>{shortKey(row)}</code>
              </span>
            </th>
            <td class="wide" data-label="May">
              {row.may}
            </td>
            <td>
              <KeyState row={row} />
            </td>
            <td data-label="Created">
              <Time at={row.createdAt} />
              {row.creator && (
                <span class="below">
                  by {creatorOf(row.creator)}
                  {row.endsWithCreator && row.state === 'valid' && ', ends with them'}
                </span>
              )}
            </td>
            <td data-label="Last used">
              <Time at={row.lastUsedAt} absent="never" />
            </td>
            <td class="row-actions">
              {row.state === 'valid' && (
                <button
                  type="button"
                  class="small"
                  aria-label={`Revoke ${row.name}`}
                  onClick={() => setRevoking(row)}
                >
                  Revoke
                </button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {revoking && <RevokeKey row={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

/** Most keys go on working when their creator leaves. So the list names the creator, and an owner can revoke the keys. */
function creatorOf({ name, isMember }: NonNullable<KeyRow['creator']>): string {
  return isMember ? name : `${name}, who has left`;
}

function KeyState({ row: { state, expiresAt } }: { readonly row: KeyRow }) {
  if (state === 'revoked') return <State tone="neutral">Revoked</State>;
  if (state === 'expired') return <State tone="neutral">Expired</State>;
  return (
    <>
      <State tone="good">Valid</State>
      {expiresAt !== null && (
        <span class="below nowrap">
          ends <Time at={expiresAt} />
        </span>
      )}
    </>
  );
}

function RevokeKey({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
  const client = useQueryClient();
  const revoke = async () => {
    await ask('DELETE', `keys/${row.id}`);
    announce(`Revoked ${row.name}.`);
    await client.invalidateQueries({ queryKey: ['keys'] });
  };
  const isInUse = row.lastUsedAt !== null && timeNow() - Date.parse(row.lastUsedAt) < IN_USE_MS;
  return (
    <Confirm title={`Revoke “${row.name}”?`} verb="Revoke key" kind="danger" work={revoke} onClose={onClose}>
      {isInUse && (
        <p class="notice notice-bad">
          <span>
            It was used <Time at={row.lastUsedAt} />, so a program still needs it.
          </span>
        </p>
      )}
      <p>
        Programs with <code>{shortKey(row)}</code> are refused at once. This cannot be undone.
      </p>
      {!isInUse && (
        <p class="quiet">
          Last used: <Time at={row.lastUsedAt} absent="never" />
        </p>
      )}
    </Confirm>
  );
}

/** Shortens a key. People recognise a key in the settings of their own programs by its beginning and its end. */
const shortKey = ({ prefix, lastFour }: KeyRow) => `${prefix}…${lastFour ?? ''}`;
