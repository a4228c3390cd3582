/** What was sent to a webhook, over HTTP: a test, the list, and once more (spec D47, spec D48). */
import { Router } from 'express';
import { isoSeconds } from '../platform/iso-seconds.ts';
import { Refusal } from '../platform/refusal.ts';
import { answer } from '../web/envelope.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { PAGE_PARAMETERS, readPage } from '../web/pages.ts';
import type { DeliverySummary } from '../webhooks/delivery.ts';
import { listDeliveries, retryDelivery } from '../webhooks/delivery-store.ts';
import { emitTest } from '../webhooks/emit-event.ts';
import { getOwnEndpoint } from '../webhooks/endpoint-store.ts';
import type { Authenticated } from './authenticate.ts';
import { requireMaster, type WebhookRoutesOptions } from './webhook-routes.ts';

export function webhookDeliveryRoutes(options: WebhookRoutesOptions, authenticated: Authenticated): Router {
  const { database, cursors } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router
    .route('/api/webhooks/:id/test')
    .post(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { id } = await getOwnEndpoint(database, accountId, String(request.params.id));
        const eventId = await emitTest(database, id);
        if (eventId === undefined) throw new Refusal('CONFLICT', 'The webhook is disabled. Enable it first.');
        answer(response, 200, { id, eventId });
      }),
    )
    .all(methodNotAllowed('POST'));

  router
    .route('/api/webhooks/:id/deliveries')
    .get(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { id } = await getOwnEndpoint(database, accountId, String(request.params.id));
        const { rows, pagination } = await readPage(request, cursors, {
          accountId,
          list: `deliveries of ${id}`,
          read: (limit, after) =>
            listDeliveries(database, id, limit, after === undefined ? undefined : Number(after)),
          positionOf: ({ position }) => String(position),
        });
        answer(response, 200, rows.map(describeDelivery), { pagination });
      }, PAGE_PARAMETERS),
    )
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/api/webhooks/:id/deliveries/:event/retry')
    .post(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { id } = await getOwnEndpoint(database, accountId, String(request.params.id));
        const delivery = await retryDelivery(database, id, String(request.params.event));
        if (delivery === undefined) throw new Refusal('NOT_FOUND', 'There is no such delivery.');
        answer(response, 200, describeDelivery(delivery));
      }),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

function describeDelivery(delivery: DeliverySummary) {
  const { eventId, type, happenedAt, attempts, lastStatus, lastError } = delivery;
  const { attemptedAt, nextAttemptAt, deliveredAt } = delivery;
  return {
    ...{ eventId, type, status: statusOf(delivery), attempts, lastStatus, lastError },
    lastAttemptAt: attemptedAt && isoSeconds(attemptedAt),
    nextAttemptAt: nextAttemptAt && isoSeconds(nextAttemptAt),
    deliveredAt: deliveredAt && isoSeconds(deliveredAt),
    createdAt: isoSeconds(happenedAt),
  };
}

function statusOf({ nextAttemptAt, deliveredAt }: DeliverySummary): 'waiting' | 'delivered' | 'failed' {
  if (nextAttemptAt !== null) return 'waiting';
  return deliveredAt === null ? 'failed' : 'delivered';
}
