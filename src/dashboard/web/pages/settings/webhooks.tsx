/** Programs of others that are told what happens. */
import { useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { ApiError, getPage } from '../../api/request.ts';
import { Action } from '../../parts/action.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, WhenLoaded } from '../../parts/states.tsx';
import { AddWebhook } from './webhooks/add-webhook.tsx';
import type { Webhook } from './webhooks/webhook.ts';
import { WebhookCard } from './webhooks/webhook-card.tsx';

export function Webhooks() {
  const webhooks = useInfiniteQuery({
    queryKey: ['webhooks'],
    queryFn: ({ pageParam }) => getPage<Webhook>(`webhooks${pageParam && `?cursor=${pageParam}`}`),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const rows = webhooks.data?.pages.flatMap((page) => page.rows) ?? [];
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
      {isOff(webhooks.error) ? (
        <p class="notice" role="status">
          <span>{webhooks.error.message}</span>
        </p>
      ) : (
        <WhenLoaded query={webhooks}>
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
      {webhooks.hasNextPage && (
        <div class="buttons">
          <Action busy="Loading …" work={() => webhooks.fetchNextPage({ throwOnError: true })}>
            Show more
          </Action>
        </div>
      )}
      {isAdding && <AddWebhook onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** The operator has not set them up, so trying again changes nothing. */
function isOff(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 503 && error.message.includes('WEBHOOK_SECRET');
}
