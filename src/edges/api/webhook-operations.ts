/** Operations of webhooks (spec 6, spec D47). `delivery-operations.ts` has their deliveries. */
import { z } from 'zod';
import { type AuditEntry, insertAuditEvent } from '../../features/accounts/audit-store.ts';
import { holdCaller } from '../../features/accounts/hold-caller.ts';
import {
  type Endpoint,
  type EndpointMembers,
  endpointMembersSchema,
  parseEndpointMembers,
} from '../../features/webhooks/endpoint.ts';
import type { Webhooks } from '../../features/webhooks/open-webhooks.ts';
import type { IsAllowedAddress } from '../../platform/http/public-address.ts';
import type { NewId } from '../../platform/ids.ts';
import { invalidField, Refusal } from '../../platform/refusal.ts';
import type { Secret } from '../../platform/secret.ts';
import {
  describeEndpoint,
  describeWithSecret,
  WEBHOOK,
  WITH_SECRET,
  webhook,
  webhookWithSecret,
} from './describe-webhook.ts';
import { operation, tagged } from './operation.ts';
import { answered, answeredPage, described, done, id, jsonBody, numbered, PAGE_QUERY } from './shapes.ts';

export interface WebhookNeeds {
  readonly webhooks: Webhooks;
  readonly newId: NewId;
  /** The master secret, from which the webhooks' secrets are derived; undefined if it is not configured. */
  readonly webhookSecret: Secret | undefined;
  readonly isAllowedAddress: IsAllowedAddress;
}

const { url, format, description, events, enabled } = endpointMembersSchema.shape;
const set = {
  url: described(url.nullable(), 'https, with a name or a public address.'),
  format: described(format.nullable(), 'By default `json`.'),
  description: description.nullable(),
  events: described(
    events,
    'Null: all but `upload.unchanged`, `need.opened` and `need.closed`, also those that are added later.',
  ),
};

/** Maps our names of members to their names in a body, which the audit log shows. */
const FIELDS = {
  url: 'url',
  format: 'format',
  description: 'description',
  eventTypes: 'events',
  isEnabled: 'enabled',
} as const satisfies Record<keyof EndpointMembers, string>;

const OFF = 'The operator has not switched webhooks on.';
/** The errors of every path with a webhook's id. */
export const webhookErrors = {
  FORBIDDEN: "Or the webhook is another account's.",
  NOT_FOUND: 'There is no such webhook.',
  SERVICE_UNAVAILABLE: OFF,
} as const;

const access = { actions: ['webhooks'], to: 'account' } as const;
const one = { access, errors: webhookErrors } as const;

export const webhookOperations = tagged('Webhooks', [
  operation('post', '/api/webhooks', {
    id: 'createWebhook',
    access,
    summary: 'Registers an address for events',
    body: jsonBody(
      z.strictObject({ ...set, url: described(url.unwrap(), 'https, with a name or a public address.') }),
      { url: WEBHOOK.url, description: WEBHOOK.description, events: WEBHOOK.events },
    ),
    answer: answered(201, 'The webhook, with its secret.', webhookWithSecret, WITH_SECRET),
    errors: { CONFLICT: 'Or you have too many webhooks.', SERVICE_UNAVAILABLE: OFF },
    async run(needs: WebhookNeeds, { caller, members, showOnce }) {
      const master = requireMaster(needs);
      const given = parseEndpointMembers(await members(), needs.isAllowedAddress);
      const { url, format = 'json', description = '', eventTypes = null } = given;
      if (url === undefined) throw invalidField('url', undefined, 'is required');
      const id = needs.newId('webhook');
      const wanted = { id, accountId: caller.accountId, url, format, description, eventTypes };
      const { record, shown } = showOnce((endpoint: Endpoint) => describeWithSecret(endpoint, master));
      const endpoint = await needs.webhooks.add(wanted, async (transaction, inserted) => {
        // The key or the session of the caller may have ended while the body arrived. Then the webhook must not be added.
        await holdCaller(transaction, caller);
        await insertAuditEvent(transaction, caller, entryOf('webhook.added', inserted));
        await record(transaction, inserted);
      });
      return shown(endpoint);
    },
  }),
  operation('get', '/api/webhooks', {
    id: 'listWebhooks',
    access,
    summary: 'Lists your webhooks, newest first',
    query: PAGE_QUERY,
    answer: answeredPage('A page of webhooks.', webhook, WEBHOOK),
    errors: { SERVICE_UNAVAILABLE: OFF },
    async run(needs: WebhookNeeds, { caller, page }) {
      requireMaster(needs);
      return page({
        list: 'webhooks',
        read: (limit, after) => needs.webhooks.list(caller.accountId, limit, numbered(after)),
        positionOf: ({ position }) => String(position),
        show: describeEndpoint,
      });
    },
  }),
  operation('get', '/api/webhooks/{id}', {
    ...one,
    id: 'getWebhook',
    summary: 'Shows a webhook',
    answer: answered(200, 'The webhook.', webhook, WEBHOOK),
    async run(needs: WebhookNeeds, { caller, path }) {
      requireMaster(needs);
      return describeEndpoint(await needs.webhooks.getOwn(caller.accountId, path.id));
    },
  }),
  operation('patch', '/api/webhooks/{id}', {
    ...one,
    id: 'changeWebhook',
    summary: 'Changes a webhook',
    description: 'Members that the body does not have stay as they are.',
    body: jsonBody(z.strictObject({ ...set, enabled: enabled.nullable() }).partial(), { enabled: false }),
    answer: answered(200, 'The changed webhook.', webhook, {
      ...WEBHOOK,
      enabled: false,
      disabledAt: '2026-01-16T10:00:00Z',
      disabledReason: 'You have disabled it.',
    }),
    async run(needs: WebhookNeeds, { caller, path, members }) {
      requireMaster(needs);
      const { id } = await needs.webhooks.getOwn(caller.accountId, path.id);
      const changed = parseEndpointMembers(await members(), needs.isAllowedAddress);
      const fields = (Object.keys(changed) as (keyof EndpointMembers)[]).map((name) => FIELDS[name]);
      const endpoint = await needs.webhooks.change(
        id,
        changed,
        (transaction) => holdCaller(transaction, caller),
        async (transaction, after) => {
          if (fields.length === 0) return;
          await insertAuditEvent(transaction, caller, entryOf('webhook.changed', after, { fields }));
        },
      );
      return describeEndpoint(endpoint);
    },
  }),
  operation('delete', '/api/webhooks/{id}', {
    ...one,
    id: 'deleteWebhook',
    summary: 'Deletes a webhook',
    answer: answered(200, 'The webhook is deleted.', z.object({ id: id('webhook'), deleted: done }), {
      id: WEBHOOK.id,
      deleted: true,
    }),
    async run(needs: WebhookNeeds, { caller, path }) {
      requireMaster(needs);
      const endpoint = await needs.webhooks.getOwn(caller.accountId, path.id);
      await needs.webhooks.delete(endpoint, (transaction) =>
        insertAuditEvent(transaction, caller, entryOf('webhook.deleted', endpoint)),
      );
      return { id: endpoint.id, deleted: true as const };
    },
  }),
  operation('post', '/api/webhooks/{id}/rotate', {
    ...one,
    id: 'rotateWebhookSecret',
    summary: 'Makes a new secret',
    description: 'The former secrets sign too, for 24 hours.',
    answer: answered(200, 'The webhook, with its new secret.', webhookWithSecret, WITH_SECRET),
    errors: { ...webhookErrors, CONFLICT: 'Or there were too many rotations within 24 hours.' },
    async run(needs: WebhookNeeds, { caller, path }) {
      const master = requireMaster(needs);
      const { id } = await needs.webhooks.getOwn(caller.accountId, path.id);
      const endpoint = await needs.webhooks.rotate(id, (transaction, rotated) =>
        insertAuditEvent(transaction, caller, entryOf('webhook.changed', rotated, { fields: ['secret'] })),
      );
      return describeWithSecret(endpoint, master);
    },
  }),
]);

/** The path of a webhook's URL often has a secret, so the audit log gets the origin only. */
function entryOf(
  action: 'webhook.added' | 'webhook.changed' | 'webhook.deleted',
  { id: webhookId, url }: Endpoint,
  more: object = {},
): AuditEntry {
  return { action, subject: new URL(url).origin, details: { webhookId, ...more } };
}

/** Returns the master secret. Throws Refusal SERVICE_UNAVAILABLE while webhooks are off. */
export function requireMaster({ webhookSecret }: Pick<WebhookNeeds, 'webhookSecret'>): Secret {
  if (webhookSecret !== undefined) return webhookSecret;
  const message = 'Webhooks are off: the operator of this service has not set WEBHOOK_SECRET.';
  throw new Refusal('SERVICE_UNAVAILABLE', message);
}
