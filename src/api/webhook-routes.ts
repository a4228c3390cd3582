/** Webhooks over HTTP (spec 6, spec D47). webhook-delivery-routes.ts has what was sent to them. */
import { Router } from 'express';
import { insertAuditEvent } from '../accounts/audit-store.ts';
import { holdCaller } from '../accounts/hold-caller.ts';
import type { Caller } from '../accounts/key-store.ts';
import type { IsAllowedAddress } from '../platform/http/public-address.ts';
import type { NewId } from '../platform/ids.ts';
import { type Database, inTransaction, type Transaction } from '../platform/postgres/database.ts';
import { invalidField, Refusal } from '../platform/refusal.ts';
import type { Secret } from '../platform/secret.ts';
import type { Cursors } from '../web/cursors.ts';
import { answer } from '../web/envelope.ts';
import { readMembers } from '../web/json-body.ts';
import { methodNotAllowed } from '../web/not-found.ts';
import { PAGE_PARAMETERS, readPage } from '../web/pages.ts';
import { type Endpoint, type EndpointMembers, parseEndpointMembers } from '../webhooks/endpoint.ts';
import {
  changeEndpoint,
  deleteEndpoint,
  getOwnEndpoint,
  insertEndpoint,
  listEndpoints,
  rotateSecret,
} from '../webhooks/endpoint-store.ts';
import type { Authenticated } from './authenticate.ts';
import { describeEndpoint, describeWithSecret } from './describe-webhook.ts';

/** The members of a body, as the audit log names them. */
const FIELDS = {
  url: 'url',
  description: 'description',
  eventTypes: 'events',
  isEnabled: 'enabled',
} as const satisfies Record<keyof EndpointMembers, string>;

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
      authenticated(async (caller, request, response, record) => {
        const { accountId } = caller;
        const master = requireMaster(options);
        const members = await readMembers(request, response, ['url', 'description', 'events'], maxBodyBytes);
        const { url, description = '', eventTypes = null } = parseEndpointMembers(members, isAllowedAddress);
        if (url === undefined) throw invalidField('url', undefined, 'is required');
        const given = { id: newId('webhook'), accountId, url, description, eventTypes };
        const endpoint = await insertEndpoint(database, given, async (transaction, inserted) => {
          // While the body came, the key may have been revoked. Its owner must not go on listening.
          await holdCaller(transaction, caller);
          await audit(transaction, caller, 'webhook.added', inserted);
          await record(transaction, 201, describeWithSecret(inserted, master));
        });
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
      authenticated(async (caller, request, response) => {
        requireMaster(options);
        const { id } = await getOwnEndpoint(database, caller.accountId, String(request.params.id));
        const names = ['url', 'description', 'events', 'enabled'];
        const members = await readMembers(request, response, names, maxBodyBytes);
        const changed = parseEndpointMembers(members, isAllowedAddress);
        const endpoint = await inTransaction(database, async (transaction) => {
          await holdCaller(transaction, caller);
          const after = await changeEndpoint(transaction, id, changed);
          const fields = (Object.keys(changed) as (keyof EndpointMembers)[]).map((name) => FIELDS[name]);
          if (fields.length > 0) await audit(transaction, caller, 'webhook.changed', after, { fields });
          return after;
        });
        answer(response, 200, describeEndpoint(endpoint));
      }),
    )
    .delete(
      authenticated(async (caller, request, response) => {
        requireMaster(options);
        const endpoint = await getOwnEndpoint(database, caller.accountId, String(request.params.id));
        const { id } = endpoint;
        await inTransaction(database, async (transaction) => {
          const isDeleted = await deleteEndpoint(transaction, id);
          if (isDeleted) await audit(transaction, caller, 'webhook.deleted', endpoint);
        });
        answer(response, 200, { id, deleted: true });
      }),
    )
    .all(methodNotAllowed('GET', 'HEAD', 'PATCH', 'DELETE'));

  router
    .route('/api/webhooks/:id/rotate')
    .post(
      authenticated(async (caller, request, response) => {
        const master = requireMaster(options);
        const { id } = await getOwnEndpoint(database, caller.accountId, String(request.params.id));
        const endpoint = await inTransaction(database, async (transaction) => {
          const rotated = await rotateSecret(transaction, id);
          await audit(transaction, caller, 'webhook.changed', rotated, { fields: ['secret'] });
          return rotated;
        });
        answer(response, 200, describeWithSecret(endpoint, master));
      }),
    )
    .all(methodNotAllowed('POST'));

  return router;
}

/** Paths of webhooks often have a secret, so the log gets the origin only. */
function audit(
  transaction: Transaction,
  caller: Caller,
  action: 'webhook.added' | 'webhook.changed' | 'webhook.deleted',
  { id: webhookId, url }: Endpoint,
  more: object = {},
): Promise<void> {
  const details = { webhookId, ...more };
  return insertAuditEvent(transaction, caller, { action, subject: new URL(url).origin, details });
}

/** Throws Refusal SERVICE_UNAVAILABLE while webhooks are off. */
export function requireMaster({ master }: Pick<WebhookRoutesOptions, 'master'>): Secret {
  if (master !== undefined) return master;
  const message = 'Webhooks are off: the operator of this service has not set WEBHOOK_SECRET.';
  throw new Refusal('SERVICE_UNAVAILABLE', message);
}
