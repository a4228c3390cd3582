/** The audit log of the account: actions, who did them, and from where and when. */
import { useState } from 'preact/hooks';
import type { AuditEvent } from '../../../src/edges/dashboard/wire.ts';
import { useRows } from '../../api/rows.ts';
import { Card } from '../../parts/card.tsx';
import { Page } from '../../parts/page.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, WhenLoaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ACTIONS, sayEvent } from './audit/say-event.ts';

export function Audit() {
  const [action, setAction] = useState('');
  const path = action === '' ? 'audit' : `audit?action=${encodeURIComponent(action)}`;
  const { list, rows } = useRows<AuditEvent>(['audit', action], path);
  return (
    <Page title="Audit log">
      <p class="quiet">Who changed what. It is kept for 400 days, and nobody can change it.</p>
      <Card title="Events" aside={<Filter action={action} choose={setAction} />}>
        <WhenLoaded query={list}>
          {() =>
            rows.length === 0 ? (
              <Empty>
                <p>{action === '' ? 'Nothing has happened yet.' : 'There is no event of this kind.'}</p>
              </Empty>
            ) : (
              <>
                <Events rows={rows} />
                <ShowMore list={list} what="events" />
              </>
            )
          }
        </WhenLoaded>
      </Card>
    </Page>
  );
}

interface FilterProps {
  readonly action: string;
  readonly choose: (action: string) => void;
}

function Filter({ action, choose }: FilterProps) {
  return (
    <select aria-label="Show only" value={action} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">All events</option>
      {Object.entries(ACTIONS).map(([value, { name }]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Events({ rows }: { readonly rows: readonly AuditEvent[] }) {
  return (
    <Table label="Events" asCards head={['What', 'Who', 'From', 'When']}>
      {rows.map((event) => (
        <tr key={event.id}>
          <th scope="row">{sayEvent(event)}</th>
          <td class="name" data-label="Who">
            {event.actor.kind === 'operator' ? 'The operator' : event.actor.name}
            {event.actor.kind === 'key' && <span class="below">a key</span>}
          </td>
          <td class="nowrap" data-label="From">
            {event.address ?? '–'}
          </td>
          <td data-label="When">
            <Time at={event.at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
