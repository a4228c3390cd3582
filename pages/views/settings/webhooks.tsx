/** The webhooks of the account: addresses to which Waypost sends events. */
import { useState } from 'preact/hooks';
import type { Webhook } from '../../../client/src/answers.ts';
import { ApiError } from '../../api/request.ts';
import { useRows } from '../../api/rows.ts';
import { Page } from '../../parts/page.tsx';
import { ShowMore } from '../../parts/show-more.tsx';
import { Empty, WhenLoaded } from '../../parts/states.tsx';
import { AddWebhook } from './webhooks/add-webhook.tsx';
import { WebhookCard } from './webhooks/webhook-card.tsx';

export function Webhooks() {
  const { list, rows } = useRows<Webhook>(['webhooks'], 'webhooks');
  const [isAdding, setAdding] = useState(false);
  const add = (
    <button type="button" class="primary" onClick={() => setAdding(true)}>
      Add webhook
    </button>
  );
  return (
    <Page title="Webhooks" actions={rows.length > 0 && add}>
      <p class="quiet">
        Waypost sends a signed request to your address when an upload is live, a domain fails, and so on.
      </p>
      {isOff(list.error) ? (
        <p class="notice" role="status">
          <span>{list.error.message}</span>
        </p>
      ) : (
        <WhenLoaded query={list}>
          {() =>
            rows.length === 0 ? (
              <Empty>
                <p>There is no webhook yet. With one, your programs need not ask again and again.</p>
                {add}
              </Empty>
            ) : (
              rows.map((webhook) => <WebhookCard key={webhook.id} webhook={webhook} />)
            )
          }
        </WhenLoaded>
      )}
      <ShowMore list={list} what="webhooks" />
      {isAdding && <AddWebhook onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** Returns whether the operator has not set up webhooks. Then trying again changes nothing. */
function isOff(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 503 && error.message.includes('WEBHOOK_SECRET');
}
