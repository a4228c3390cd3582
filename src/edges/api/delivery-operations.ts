/** Operations of a webhook's deliveries: send a test, list them, send one again (spec D47, spec D48). */
import { z } from 'zod';
import type { DeliverySummary } from '../../features/webhooks/delivery.ts';
import { EVENT_TYPES } from '../../features/webhooks/events.ts';
import { Refusal } from '../../platform/refusal.ts';
import { WEBHOOK } from './describe-webhook.ts';
import { operation, tagged } from './operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  existing,
  id,
  numbered,
  PAGE_QUERY,
  type Shown,
  shownAs,
  text,
  time,
} from './shapes.ts';
import { webhookErrors as errors, requireMaster, type WebhookNeeds } from './webhook-operations.ts';

export const deliveryShape = z
  .object({
    eventId: id('event'),
    type: z.enum([...EVENT_TYPES, 'webhook.test']),
    status: described(z.enum(['waiting', 'delivered', 'failed']), '`failed`: given up.'),
    attempts: count,
    lastStatus: described(z.int().nullable(), 'Of the last answer; null without one.'),
    lastError: described(text.nullable(), 'For people.'),
    lastAttemptAt: time.nullable(),
    nextAttemptAt: time.nullable(),
    deliveredAt: time.nullable(),
    createdAt: described(time, 'When it happened.'),
  })
  .meta({ id: 'Delivery' });

export const DELIVERY = {
  eventId: 'event_16He1Yn79PlDs9c4v8PXeY',
  type: 'upload.published',
  status: 'delivered',
  attempts: 1,
  lastStatus: 204,
  lastError: null,
  lastAttemptAt: '2026-01-15T10:30:01Z',
  nextAttemptAt: null,
  deliveredAt: '2026-01-15T10:30:01Z',
  createdAt: '2026-01-15T10:30:00Z',
};

const common = { access: { actions: ['webhooks'], to: 'account' }, errors } as const;

export const deliveryOperations = tagged('Webhooks', [
  operation('post', '/api/webhooks/{id}/test', {
    ...common,
    id: 'testWebhook',
    summary: 'Sends a test',
    answer: answered(
      200,
      'The event `webhook.test` is sent at once.',
      z.object({ id: id('webhook'), eventId: id('event') }),
      { id: WEBHOOK.id, eventId: DELIVERY.eventId },
    ),
    errors: { ...errors, CONFLICT: 'Or the webhook is disabled.' },
    async run(needs: WebhookNeeds, { caller, path }) {
      requireMaster(needs);
      const { id } = await needs.webhooks.getOwn(caller.accountId, path.id);
      const eventId = await needs.webhooks.test(id);
      if (eventId === undefined) throw new Refusal('CONFLICT', 'The webhook is disabled. Enable it first.');
      return { id, eventId };
    },
  }),
  operation('get', '/api/webhooks/{id}/deliveries', {
    ...common,
    id: 'listDeliveries',
    summary: 'Lists what was sent or waits, newest first',
    query: PAGE_QUERY,
    answer: answeredPage('A page of deliveries.', deliveryShape, DELIVERY),
    async run(needs: WebhookNeeds, { caller, path, page }) {
      requireMaster(needs);
      const { id } = await needs.webhooks.getOwn(caller.accountId, path.id);
      return page({
        list: `deliveries of ${id}`,
        read: (limit, after) => needs.webhooks.listDeliveries(id, limit, numbered(after)),
        positionOf: ({ position }) => String(position),
        show: describeDelivery,
      });
    },
  }),
  operation('post', '/api/webhooks/{id}/deliveries/{event}/retry', {
    ...common,
    id: 'retryDelivery',
    summary: 'Sends an event again',
    answer: answered(200, 'The delivery, which is due now.', deliveryShape, {
      ...DELIVERY,
      status: 'waiting',
      nextAttemptAt: '2026-01-15T11:00:00Z',
      deliveredAt: null,
    }),
    errors: { ...errors, NOT_FOUND: 'There is no such webhook or delivery.' },
    async run(needs: WebhookNeeds, { caller, path }) {
      requireMaster(needs);
      const { id } = await needs.webhooks.getOwn(caller.accountId, path.id);
      return describeDelivery(existing(await needs.webhooks.retry(id, path.event), 'delivery'));
    },
  }),
]);

export function describeDelivery(delivery: DeliverySummary): Shown<typeof deliveryShape> {
  const { attemptedAt: lastAttemptAt, happenedAt: createdAt } = delivery;
  return shownAs(deliveryShape, { ...delivery, status: statusOf(delivery), lastAttemptAt, createdAt });
}

function statusOf({ nextAttemptAt, deliveredAt }: DeliverySummary): 'waiting' | 'delivered' | 'failed' {
  if (nextAttemptAt !== null) return 'waiting';
  return deliveredAt === null ? 'failed' : 'delivered';
}
