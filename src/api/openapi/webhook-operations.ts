/** Webhooks, in the API's description. */
import { z } from 'zod';
import { endpointMembersSchema } from '../../webhooks/endpoint.ts';
import { EVENT_TYPES } from '../../webhooks/events.ts';
import type { Operation } from './operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  done,
  id,
  jsonBody,
  PAGE_QUERY,
  text,
  time,
} from './shapes.ts';

const shown = {
  id: id('webhook'),
  url: described(text, 'Where events are sent.'),
  description: text,
  events: described(z.array(z.enum(EVENT_TYPES)).nullable(), 'Null: all, also those that are added later.'),
  enabled: z.boolean(),
  disabledAt: time.nullable(),
  disabledReason: text.nullable(),
  formerSecretUntil: described(time.nullable(), 'Until then the secrets before the last rotation sign too.'),
  createdAt: time,
};
const webhook = z.object(shown).meta({ id: 'Webhook' });
const webhookWithSecret = z
  .object({ ...shown, secret: described(text.regex(/^whsec_/), 'It is not shown again.') })
  .meta({ id: 'WebhookWithSecret' });

const delivery = z
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

const WEBHOOK = {
  id: 'webhook_0k0ZbNzPqD8h2c4vXeY16H',
  url: 'https://hooks.example.com/waypost',
  description: 'On call',
  events: ['upload.published', 'domain.failed'],
  enabled: true,
  disabledAt: null,
  disabledReason: null,
  formerSecretUntil: null,
  createdAt: '2026-01-15T10:00:00Z',
};
const WITH_SECRET = { ...WEBHOOK, secret: 'whsec_…' };
const DELIVERY = {
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

const { url, description, events, enabled } = endpointMembersSchema.shape;
const set = {
  url: described(url.nullable(), 'https, with a name or a public address.'),
  description: description.nullable(),
  events: described(events, 'Null: all, also those that are added later.'),
};

/** Of every path with an id. */
const OFF = 'The operator has not switched webhooks on.';
const UNKNOWN = 'There is no such webhook.';
const FOREIGN = "Or the webhook is another account's.";
const errors = { FORBIDDEN: FOREIGN, NOT_FOUND: UNKNOWN, SERVICE_UNAVAILABLE: OFF } as const;

const tag = 'Webhooks';
const one = { path: '/api/webhooks/{id}', tag, errors } as const;

export const webhookOperations: readonly Operation[] = [
  {
    id: 'createWebhook',
    method: 'post',
    path: '/api/webhooks',
    tag,
    summary: 'Registers an address for events',
    body: jsonBody(
      z.strictObject({ ...set, url: described(url.unwrap(), 'https, with a name or a public address.') }),
      { url: WEBHOOK.url, description: WEBHOOK.description, events: WEBHOOK.events },
    ),
    answers: answered(201, 'The webhook, with its secret.', webhookWithSecret, WITH_SECRET),
    errors: { CONFLICT: 'Or you have too many webhooks.', SERVICE_UNAVAILABLE: OFF },
  },
  {
    id: 'listWebhooks',
    method: 'get',
    path: '/api/webhooks',
    tag,
    summary: 'Lists your webhooks, newest first',
    query: PAGE_QUERY,
    answers: answeredPage('A page of webhooks.', webhook, WEBHOOK),
    errors: { SERVICE_UNAVAILABLE: OFF },
  },
  {
    ...one,
    id: 'getWebhook',
    method: 'get',
    summary: 'Shows a webhook',
    answers: answered(200, 'The webhook.', webhook, WEBHOOK),
  },
  {
    ...one,
    id: 'changeWebhook',
    method: 'patch',
    summary: 'Changes a webhook',
    description: 'Members that the body does not have stay as they are.',
    body: jsonBody(z.strictObject({ ...set, enabled: enabled.nullable() }).partial(), { enabled: false }),
    answers: answered(200, 'The changed webhook.', webhook, {
      ...WEBHOOK,
      enabled: false,
      disabledAt: '2026-01-16T10:00:00Z',
      disabledReason: 'You have disabled it.',
    }),
  },
  {
    ...one,
    id: 'deleteWebhook',
    method: 'delete',
    summary: 'Deletes a webhook',
    answers: answered(200, 'The webhook is deleted.', z.object({ id: id('webhook'), deleted: done }), {
      id: WEBHOOK.id,
      deleted: true,
    }),
  },
  {
    ...one,
    id: 'rotateWebhookSecret',
    method: 'post',
    path: '/api/webhooks/{id}/rotate',
    summary: 'Makes a new secret',
    description: 'The former secrets sign too, for 24 hours.',
    answers: answered(200, 'The webhook, with its new secret.', webhookWithSecret, WITH_SECRET),
    errors: { ...errors, CONFLICT: 'Or there were too many rotations within 24 hours.' },
  },
  {
    ...one,
    id: 'testWebhook',
    method: 'post',
    path: '/api/webhooks/{id}/test',
    summary: 'Sends a test',
    answers: answered(
      200,
      'The event `webhook.test` is sent at once.',
      z.object({ id: id('webhook'), eventId: id('event') }),
      { id: WEBHOOK.id, eventId: DELIVERY.eventId },
    ),
    errors: { ...errors, CONFLICT: 'Or the webhook is disabled.' },
  },
  {
    ...one,
    id: 'listDeliveries',
    method: 'get',
    path: '/api/webhooks/{id}/deliveries',
    summary: 'Lists what was sent or waits, newest first',
    query: PAGE_QUERY,
    answers: answeredPage('A page of deliveries.', delivery, DELIVERY),
  },
  {
    ...one,
    id: 'retryDelivery',
    method: 'post',
    path: '/api/webhooks/{id}/deliveries/{event}/retry',
    summary: 'Sends an event again',
    answers: answered(200, 'The delivery, which is due now.', delivery, {
      ...DELIVERY,
      status: 'waiting',
      nextAttemptAt: '2026-01-15T11:00:00Z',
      deliveredAt: null,
    }),
    errors: { ...errors, NOT_FOUND: 'There is no such webhook or delivery.' },
  },
];
