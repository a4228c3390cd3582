/** Opens the room that manages webhooks. */
import { type Database, inTransaction, type Transaction } from '../../platform/postgres/database.ts';
import { verbsOn } from '../../platform/verb.ts';
import { listDeliveries, retryDelivery } from './delivery-store.ts';
import { emitToOne } from './emit-event.ts';
import { createEmitRefusedUploads, type RefusedUploadsOptions } from './emit-refused-uploads.ts';
import type { Endpoint, EndpointMembers } from './endpoint.ts';
import {
  changeEndpoint,
  deleteEndpoint,
  getOwnEndpoint,
  insertEndpoint,
  listEndpoints,
  rotateSecret,
} from './endpoint-store.ts';

/** Runs last in the transaction of a change. If it throws, the change is rolled back. */
type OnEndpoint = (transaction: Transaction, endpoint: Endpoint) => Promise<void>;

export type Webhooks = ReturnType<typeof openWebhooks>;

export function openWebhooks(options: RefusedUploadsOptions & { readonly database: Database }) {
  const { database } = options;
  const changing = (change: (transaction: Transaction) => Promise<Endpoint>, onChanged: OnEndpoint) =>
    inTransaction(database, async (transaction) => {
      const endpoint = await change(transaction);
      await onChanged(transaction, endpoint);
      return endpoint;
    });
  return {
    ...verbsOn(database, { add: insertEndpoint, getOwn: getOwnEndpoint, list: listEndpoints }),
    /** Changes an endpoint. `first` runs first in the transaction. Throws Refusal NOT_FOUND when the endpoint is gone. */
    change: (
      id: string,
      members: Partial<EndpointMembers>,
      first: (transaction: Transaction) => Promise<void>,
      onChanged: OnEndpoint,
    ) =>
      changing(async (transaction) => {
        await first(transaction);
        return changeEndpoint(transaction, id, members);
      }, onChanged),
    /** Deletes an endpoint. `onDeleted` does not run if another request has deleted the endpoint. */
    delete: (endpoint: Endpoint, onDeleted: OnEndpoint) =>
      inTransaction(database, async (transaction) => {
        if (await deleteEndpoint(transaction, endpoint.id)) await onDeleted(transaction, endpoint);
      }),
    /** Gives the endpoint another secret. Throws Refusal as `rotateSecret` does. */
    rotate: (id: string, onRotated: OnEndpoint) => changing((t) => rotateSecret(t, id), onRotated),
    /** Sends a test event. Returns the id of the event; undefined if the endpoint is gone or disabled. */
    test: (webhookId: string) => emitToOne(database, webhookId, 'webhook.test', { webhookId }),
    ...verbsOn(database, { listDeliveries, retry: retryDelivery }),
    emitRefusedUpload: createEmitRefusedUploads(options),
  };
}
