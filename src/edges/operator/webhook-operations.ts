/** Operations on the webhooks of all accounts, and on their deliveries. */
import { z } from 'zod';
import { queryText } from '../../core/web/query-text.ts';
import type { Operator } from '../../features/accounts/actor.ts';
import type {
  listDeliveries,
  retryDelivery,
  retryFailedDeliveries,
} from '../../features/webhooks/delivery-store.ts';
import type { Endpoint } from '../../features/webhooks/endpoint.ts';
import type { findEndpoint, listEndpoints } from '../../features/webhooks/endpoint-store.ts';
import type { Verb } from '../../platform/verb.ts';
import { DELIVERY, deliveryShape, describeDelivery } from '../api/delivery-operations.ts';
import { describeEndpoint, WEBHOOK, webhook } from '../api/describe-webhook.ts';
import { tagged } from '../api/operation.ts';
import {
  answered,
  answeredPage,
  count,
  described,
  existing,
  id,
  numbered,
  PAGE_QUERY,
  text,
} from '../api/shapes.ts';
import { ACCOUNT } from './describe-account.ts';
import { operatorOperation } from './operator-operation.ts';

export interface OperatedWebhookNeeds {
  readonly allWebhooks: {
    readonly find: Verb<typeof findEndpoint>;
    readonly list: Verb<typeof listEndpoints>;
    readonly listDeliveries: Verb<typeof listDeliveries>;
    readonly retry: Verb<typeof retryDelivery>;
    readonly retryFailed: Verb<typeof retryFailedDeliveries>;
    readonly disable: (operator: Operator, id: string) => Promise<Endpoint | undefined>;
  };
}

const operated = z.object({ ...webhook.shape, accountId: id('account') }).meta({ id: 'OperatedWebhook' });
const OPERATED = { ...WEBHOOK, accountId: ACCOUNT.id };

const errors = { NOT_FOUND: 'There is no such webhook.' };

export const webhookOperations = tagged('Webhooks', [
  operatorOperation('get', '/operator/webhooks', {
    id: 'listWebhooks',
    summary: 'Lists webhooks of all accounts, the newest first',
    query: { ...PAGE_QUERY, account: described(text, 'Only those of the account with this id.') },
    answer: answeredPage('A page of webhooks.', operated, OPERATED),
    async run({ allWebhooks }: OperatedWebhookNeeds, { request: { query }, page }) {
      const account = queryText(query, 'account');
      return page({
        list: `webhooks ${account ?? ''}`,
        read: (limit, after) => allWebhooks.list(account, limit, numbered(after)),
        positionOf: ({ position }) => String(position),
        show: describeOperated,
      });
    },
  }),
  operatorOperation('get', '/operator/webhooks/{id}', {
    id: 'getWebhook',
    summary: 'Shows a webhook, without its secret',
    answer: answered(200, 'The webhook.', operated, OPERATED),
    errors,
    run: async ({ allWebhooks }: OperatedWebhookNeeds, { path }) =>
      describeOperated(existing(await allWebhooks.find(path.id), 'webhook')),
  }),
  operatorOperation('post', '/operator/webhooks/{id}/disable', {
    id: 'disableWebhook',
    summary: 'Sends nothing more to a webhook, until its owner enables it again',
    answer: answered(200, 'The webhook.', operated, {
      ...{ ...OPERATED, enabled: false, disabledAt: '2026-01-16T10:00:00Z' },
      disabledReason: 'The operator of this service has disabled it.',
    }),
    errors,
    run: async ({ allWebhooks }: OperatedWebhookNeeds, { caller, path }) =>
      describeOperated(existing(await allWebhooks.disable(caller, path.id), 'webhook')),
  }),
  operatorOperation('get', '/operator/webhooks/{id}/deliveries', {
    id: 'listDeliveries',
    summary: 'Lists what was sent to a webhook or waits, the newest first',
    query: PAGE_QUERY,
    answer: answeredPage('A page of deliveries.', deliveryShape, DELIVERY),
    errors,
    async run({ allWebhooks }: OperatedWebhookNeeds, { path, page }) {
      const found = existing(await allWebhooks.find(path.id), 'webhook');
      return page({
        list: `deliveries of ${found.id}`,
        read: (limit, after) => allWebhooks.listDeliveries(found.id, limit, numbered(after)),
        positionOf: ({ position }) => String(position),
        show: describeDelivery,
      });
    },
  }),
  operatorOperation('post', '/operator/webhooks/{id}/deliveries/retry', {
    id: 'retryDeliveries',
    summary: 'Sends all events of a webhook again that were given up',
    answer: answered(
      200,
      'They are due now.',
      z.object({ id: id('webhook'), deliveries: described(count, 'How many.') }),
      { id: WEBHOOK.id, deliveries: 3 },
    ),
    errors,
    async run({ allWebhooks }: OperatedWebhookNeeds, { path }) {
      const found = existing(await allWebhooks.find(path.id), 'webhook');
      return { id: found.id, deliveries: await allWebhooks.retryFailed(found.id) };
    },
  }),
  operatorOperation('post', '/operator/webhooks/{id}/deliveries/{event}/retry', {
    id: 'retryDelivery',
    summary: 'Sends an event to a webhook again',
    answer: answered(200, 'The delivery, which is due now.', deliveryShape, {
      ...{ ...DELIVERY, status: 'waiting', nextAttemptAt: '2026-01-15T11:00:00Z', deliveredAt: null },
    }),
    errors: { NOT_FOUND: 'There is no such webhook or delivery.' },
    async run({ allWebhooks }: OperatedWebhookNeeds, { path }) {
      const found = existing(await allWebhooks.find(path.id), 'webhook');
      return describeDelivery(existing(await allWebhooks.retry(found.id, path.event), 'delivery'));
    },
  }),
]);

const describeOperated = (found: Endpoint) => ({ ...describeEndpoint(found), accountId: found.accountId });
