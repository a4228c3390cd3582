/** Webhooks over HTTP (spec 6, spec D47). */
import { type Request, Router } from 'express';
import type { IsAllowedAddress } from '../platform/http/public-address.ts';
import type { NewId } from '../platform/ids.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { invalidField, Refusal } from '../platform/refusal.ts';
import type { Secret } from '../platform/secret.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import type { DeliverySummary } from '../webhooks/delivery.ts';
import { listDeliveries, retryDelivery } from '../webhooks/delivery-store.ts';
import { emitTest } from '../webhooks/emit-event.ts';
import { type Endpoint, parseEndpointMembers } from '../webhooks/endpoint.ts';
import { shownSecret } from '../webhooks/endpoint-secret.ts';
import {
  changeEndpoint,
  deleteEndpoint,
  getOwnEndpoint,
  insertEndpoint,
  listEndpoints,
  rotateSecret,
} from '../webhooks/endpoint-store.ts';
import type { Authenticated } from './authenticate.ts';
import type { Cursors } from './cursors.ts';
import { PAGE_PARAMETERS, readPage } from './pages.ts';

export interface WebhookRoutesOptions {
  readonly database: Database;
  readonly cursors: Cursors;
  readonly maxBodyBytes: number;
  readonly newId: NewId;
  /** Of all secrets; undefined while the operator has not configured it. */
  readonly master: Secret | undefined;
  readonly isAllowedAddress: IsAllowedAddress;
}

export function webhookRoutes(options: WebhookRoutesOptions, authenticated: Authenticated): Router {
  const { database, cursors, maxBodyBytes, newId, isAllowedAddress } = options;
  const router = Router({ caseSensitive: true, strict: true });
  const ownEndpoint = (accountId: string, { params }: Request) =>
    getOwnEndpoint(database, accountId, String(params.id));

  router
    .route('/api/webhooks')
    .post(
      authenticated(async ({ accountId }, request, response) => {
        const master = requireMaster(options);
        const members = await readMembers(request, response, ['url', 'description', 'events'], maxBodyBytes);
        const { url, description = '', eventTypes = null } = parseEndpointMembers(members, isAllowedAddress);
        if (url === undefined) throw invalidField('url', undefined, 'is required');
        const given = { id: newId('webhook'), accountId, url, description, eventTypes };
        answer(response, 201, describeWithSecret(await insertEndpoint(database, given), master));
      }),
    )
    .get(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { rows, pagination } = await readPage(request, cursors, {
          accountId,
          list: 'webhooks',
          read: (limit, after) => listEndpoints(database, accountId, limit, positionOf(after)),
          positionOf: ({ position }) => String(position),
        });
        answer(response, 200, rows.map(describeEndpoint), { pagination });
      }, PAGE_PARAMETERS),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'POST'));

  router
    .route('/api/webhooks/:id')
    .get(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        answer(response, 200, describeEndpoint(await ownEndpoint(accountId, request)));
      }),
    )
    .patch(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { id } = await ownEndpoint(accountId, request);
        const names = ['url', 'description', 'events', 'enabled'];
        const members = await readMembers(request, response, names, maxBodyBytes);
        const changed = parseEndpointMembers(members, isAllowedAddress);
        answer(response, 200, describeEndpoint(await changeEndpoint(database, id, changed)));
      }),
    )
    .delete(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { id } = await ownEndpoint(accountId, request);
        await deleteEndpoint(database, id);
        answer(response, 200, { id, deleted: true });
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'PATCH', 'DELETE'));

  router
    .route('/api/webhooks/:id/rotate')
    .post(
      authenticated(async ({ accountId }, request, response) => {
        const master = requireMaster(options);
        const { id } = await ownEndpoint(accountId, request);
        answer(response, 200, describeWithSecret(await rotateSecret(database, id), master));
      }),
    )
    .all(methodNotAllowed('POST'));

  router
    .route('/api/webhooks/:id/test')
    .post(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { id } = await ownEndpoint(accountId, request);
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
        const { id } = await ownEndpoint(accountId, request);
        const { rows, pagination } = await readPage(request, cursors, {
          accountId,
          list: `deliveries of ${id}`,
          read: (limit, after) => listDeliveries(database, id, limit, positionOf(after)),
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
        const { id } = await ownEndpoint(accountId, request);
        const delivery = await retryDelivery(database, id, String(request.params.event));
        if (delivery === undefined) throw new Refusal('NOT_FOUND', 'There is no such delivery.');
        answer(response, 200, describeDelivery(delivery));
      }),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

const positionOf = (cursor: string | undefined) => (cursor === undefined ? undefined : Number(cursor));

function requireMaster({ master }: WebhookRoutesOptions): Secret {
  if (master !== undefined) return master;
  const message = 'Webhooks are off: the operator of this service has not set WEBHOOK_SECRET.';
  throw new Refusal('SERVICE_UNAVAILABLE', message);
}

function describeEndpoint(endpoint: Endpoint) {
  const { id, url, description, eventTypes, formerUntil, disabledAt, disabledWhy, createdAt } = endpoint;
  return {
    ...{ id, url, description, events: eventTypes, enabled: disabledAt === null },
    disabledAt: disabledAt && isoSeconds(disabledAt),
    disabledReason: disabledWhy,
    formerSecretUntil: formerUntil && isoSeconds(formerUntil),
    createdAt: isoSeconds(createdAt),
  };
}

/** The only answers with a secret. */
function describeWithSecret(endpoint: Endpoint, master: Secret) {
  return { ...describeEndpoint(endpoint), secret: shownSecret(master, endpoint.id, endpoint.secretVersion) };
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
