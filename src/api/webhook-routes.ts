/** Webhooks over HTTP (spec 6, spec D47). webhook-delivery-routes.ts has what was sent to them. */
import { Router } from 'express';
import type { IsAllowedAddress } from '../platform/http/public-address.ts';
import type { NewId } from '../platform/ids.ts';
import { isoSeconds } from '../platform/iso-seconds.ts';
import type { Database } from '../platform/postgres/database.ts';
import { invalidField, Refusal } from '../platform/refusal.ts';
import type { Secret } from '../platform/secret.ts';
import type { Cursors } from '../web/cursors.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { PAGE_PARAMETERS, readPage } from '../web/pages.ts';
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

  router
    .route('/api/webhooks')
    .post(
      authenticated(async ({ accountId }, request, response, record) => {
        const master = requireMaster(options);
        const members = await readMembers(request, response, ['url', 'description', 'events'], maxBodyBytes);
        const { url, description = '', eventTypes = null } = parseEndpointMembers(members, isAllowedAddress);
        if (url === undefined) throw invalidField('url', undefined, 'is required');
        const given = { id: newId('webhook'), accountId, url, description, eventTypes };
        const endpoint = await insertEndpoint(database, given, (transaction, inserted) =>
          record(transaction, 201, describeWithSecret(inserted, master)),
        );
        answer(response, 201, describeWithSecret(endpoint, master));
      }),
    )
    .get(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { rows, pagination } = await readPage(request, cursors, {
          accountId,
          list: 'webhooks',
          read: (limit, after) =>
            listEndpoints(database, accountId, limit, after === undefined ? undefined : Number(after)),
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
        const endpoint = await getOwnEndpoint(database, accountId, String(request.params.id));
        answer(response, 200, describeEndpoint(endpoint));
      }),
    )
    .patch(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { id } = await getOwnEndpoint(database, accountId, String(request.params.id));
        const names = ['url', 'description', 'events', 'enabled'];
        const members = await readMembers(request, response, names, maxBodyBytes);
        const changed = parseEndpointMembers(members, isAllowedAddress);
        answer(response, 200, describeEndpoint(await changeEndpoint(database, id, changed)));
      }),
    )
    .delete(
      authenticated(async ({ accountId }, request, response) => {
        requireMaster(options);
        const { id } = await getOwnEndpoint(database, accountId, String(request.params.id));
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
        const { id } = await getOwnEndpoint(database, accountId, String(request.params.id));
        answer(response, 200, describeWithSecret(await rotateSecret(database, id), master));
      }),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

/** Throws Refusal SERVICE_UNAVAILABLE while webhooks are off. */
export function requireMaster({ master }: Pick<WebhookRoutesOptions, 'master'>): Secret {
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
