/** The deliveries of a webhook in the last 30 days. They are read when a person opens the list. */

import { useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { Delivery, Webhook } from '../../../../client/src/answers.ts';
import { timeNow } from '../../../api/clock.ts';
import { ask, getPage } from '../../../api/request.ts';
import { Action } from '../../../parts/action.tsx';
import { announce } from '../../../parts/announce.tsx';
import { State } from '../../../parts/chip.tsx';
import { counted } from '../../../parts/format.ts';
import { ShowMore } from '../../../parts/show-more.tsx';
import { WhenLoaded } from '../../../parts/states.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { sayEventType } from './webhook.ts';

/** The time between two reads while a delivery is due. A test is answered within seconds. */
const REFRESH_MS = 3000;

export function Deliveries({ webhook: { id } }: { readonly webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Deliveries</summary>
      {isOpen && <List id={id} />}
    </details>
  );
}

function List({ id }: { readonly id: string }) {
  const deliveries = useInfiniteQuery({
    queryKey: ['deliveries', id],
    queryFn: ({ pageParam }) =>
      getPage<Delivery>(`webhooks/${id}/deliveries${pageParam && `?cursor=${pageParam}`}`),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // Read again only while a delivery of the first page is due. A delivery that waits for hours does not change.
    refetchInterval: ({ state }) => (state.data?.pages[0]?.rows.some(isDue) ? REFRESH_MS : false),
  });
  const rows = deliveries.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <div class="below-summary">
      <WhenLoaded query={deliveries}>
        {() =>
          rows.length === 0 ? (
            <p class="quiet">Nothing was sent in the last 30 days.</p>
          ) : (
            <Rows id={id} rows={rows} />
          )
        }
      </WhenLoaded>
      <ShowMore list={deliveries} what="deliveries" />
    </div>
  );
}

function isDue({ nextAttemptAt }: Delivery): boolean {
  return nextAttemptAt !== null && Date.parse(nextAttemptAt) < timeNow() + REFRESH_MS;
}

function Rows({ id, rows }: { readonly id: string; readonly rows: readonly Delivery[] }) {
  const client = useQueryClient();
  const retry = async ({ eventId }: Delivery) => {
    await ask('POST', `webhooks/${id}/deliveries/${eventId}/retry`);
    announce('It is sent once more.');
    await client.invalidateQueries({ queryKey: ['deliveries', id] });
  };
  return (
    <Table
      label="Deliveries"
      asCards
      head={['Event', 'State', 'Attempts', 'Happened', { name: 'Actions', isNumber: true }]}
    >
      {rows.map((delivery) => (
        <tr key={delivery.eventId}>
          <th scope="row">
            {sayEventType(delivery.type)}
            <span class="below mono">{delivery.eventId}</span>
          </th>
          <td>
            <DeliveryState delivery={delivery} />
          </td>
          <td data-label="Attempts">
            {counted(delivery.attempts, 'attempt')}
            {delivery.lastError !== null && <span class="below">{delivery.lastError}</span>}
          </td>
          <td data-label="Happened">
            <Time at={delivery.createdAt} />
          </td>
          <td class="row-actions">
            <Action kind="small" label={`Send again: ${delivery.eventId}`} work={() => retry(delivery)}>
              Send again
            </Action>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function DeliveryState({ delivery: { status, lastStatus, nextAttemptAt } }: { readonly delivery: Delivery }) {
  if (status === 'delivered') return <State tone="good">{`Delivered (${lastStatus})`}</State>;
  if (status === 'failed') return <State tone="bad">Given up</State>;
  return (
    <>
      <State tone="waiting">Waiting</State>
      <span class="below">
        next try <Time at={nextAttemptAt} />
      </span>
    </>
  );
}
