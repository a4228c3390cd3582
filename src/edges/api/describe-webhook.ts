/** Webhooks as the API shows them (spec D47). */
import { z } from 'zod';
import type { Endpoint } from '../../features/webhooks/endpoint.ts';
import { shownSecret } from '../../features/webhooks/endpoint-secret.ts';
import { EVENT_TYPES } from '../../features/webhooks/events.ts';
import { FORMATS } from '../../features/webhooks/formats.ts';
import type { Secret } from '../../platform/secret.ts';
import { described, id, type Shown, shownAs, text, time } from './shapes.ts';

const shown = {
  id: id('webhook'),
  url: described(text, 'Where events are sent.'),
  format: described(
    z.enum(FORMATS),
    '`json`: signed events, for programs. The others: a message for the people of a chat.',
  ),
  description: text,
  events: described(
    z.array(z.enum(EVENT_TYPES)).nullable(),
    'Null: all but `upload.unchanged`, `need.opened` and `need.closed`, also those that are added later.',
  ),
  enabled: z.boolean(),
  disabledAt: time.nullable(),
  disabledReason: text.nullable(),
  formerSecretUntil: described(time.nullable(), 'Until then the secrets before the last rotation sign too.'),
  createdAt: time,
};
export const webhook = z.object(shown).meta({ id: 'Webhook' });
export const webhookWithSecret = z
  .object({ ...shown, secret: described(text.regex(/^whsec_/), 'It is not shown again.') })
  .meta({ id: 'WebhookWithSecret' });

export const WEBHOOK = {
  id: 'webhook_0k0ZbNzPqD8h2c4vXeY16H',
  url: 'https://hooks.example.com/waypost',
  format: 'json',
  description: 'On call',
  events: ['upload.published', 'domain.failed'],
  enabled: true,
  disabledAt: null,
  disabledReason: null,
  formerSecretUntil: null,
  createdAt: '2026-01-15T10:00:00Z',
};
export const WITH_SECRET = { ...WEBHOOK, secret: 'whsec_…' };

export function describeEndpoint(endpoint: Endpoint): Shown<typeof webhook> {
  const { eventTypes: events, formerUntil: formerSecretUntil, disabledAt, disabledWhy } = endpoint;
  return shownAs(webhook, {
    ...{ ...endpoint, events, enabled: disabledAt === null, disabledReason: disabledWhy, formerSecretUntil },
  });
}

/** Describes a webhook with its secret. Only answers that create a secret show it. */
export function describeWithSecret(endpoint: Endpoint, master: Secret): Shown<typeof webhookWithSecret> {
  return { ...describeEndpoint(endpoint), secret: shownSecret(master, endpoint.id, endpoint.secretVersion) };
}
