/** The sessions of the person. Each but the current one has a button that ends it. Another button ends all of them, the current one too. */
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { OpenSession } from '../../../../src/edges/dashboard/wire.ts';
import { ask, get } from '../../../api/request.ts';
import { leave } from '../../../api/sign-out.ts';
import { Action } from '../../../parts/action.tsx';
import { announce } from '../../../parts/announce.tsx';
import { Card } from '../../../parts/card.tsx';
import { Chip } from '../../../parts/chip.tsx';
import { WhenLoaded } from '../../../parts/states.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { useSignOut } from '../../../parts/use-sign-out.tsx';
import { deviceName } from './device-name.ts';

export function Sessions() {
  const client = useQueryClient();
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => get<readonly OpenSession[]>('sessions'),
  });
  const end = async ({ id, userAgent }: OpenSession) => {
    await ask('DELETE', `sessions/${id}`);
    announce(`Signed out: ${deviceName(userAgent)}.`);
    await client.invalidateQueries({ queryKey: ['sessions'] });
  };
  const everywhere = useSignOut(async () => {
    await ask('DELETE', 'sessions');
    leave(client, '/dashboard/sign-in');
  });
  return (
    <Card title="Where you are signed in">
      <WhenLoaded query={sessions}>
        {(rows) => (
          <>
            <Table
              label="Sessions"
              asCards
              head={['Browser', 'Address', 'Signed in', 'Last seen', { name: 'Actions', isNumber: true }]}
            >
              {rows.map((row) => (
                <Row key={row.id} row={row} end={() => end(row)} />
              ))}
            </Table>
            <div class="buttons">
              <Action kind="danger" work={everywhere.begin}>
                Sign out everywhere
              </Action>
              <span class="quiet">In this browser, too.</span>
            </div>
            {everywhere.question}
          </>
        )}
      </WhenLoaded>
    </Card>
  );
}

interface RowProps {
  readonly row: OpenSession;
  readonly end: () => Promise<unknown>;
}

function Row({ row: { userAgent, address, createdAt, lastSeenAt, current }, end }: RowProps) {
  return (
    <tr>
      <th scope="row" title={userAgent ?? undefined}>
        {deviceName(userAgent)} {current && <Chip tone="good">This one</Chip>}
      </th>
      <td class="nowrap" data-label="Address">
        {address ?? '–'}
      </td>
      <td data-label="Signed in">
        <Time at={createdAt} />
      </td>
      <td data-label="Last seen">
        <Time at={lastSeenAt} />
      </td>
      <td class="row-actions">
        {!current && (
          <Action kind="small" label={`Sign out: ${deviceName(userAgent)}`} work={end}>
            Sign out
          </Action>
        )}
      </td>
    </tr>
  );
}
