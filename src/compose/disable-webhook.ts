/** Disables a webhook of any account for an operator, and records it in the audit log of the account. */

import { type Operator, operatorOf } from '../features/accounts/actor.ts';
import { insertAuditEvent } from '../features/accounts/audit-store.ts';
import type { Endpoint } from '../features/webhooks/endpoint.ts';
import { disableEndpoint } from '../features/webhooks/endpoint-store.ts';
import { type Database, inTransaction } from '../platform/postgres/database.ts';

const DISABLED_BY_OPERATOR = 'The operator of this service has disabled it.';

/** Disables a webhook. The owner of the webhook may enable it again. Returns undefined if there is no such webhook. */
export function disableWebhook(
  database: Database,
  operator: Operator,
  id: string,
): Promise<Endpoint | undefined> {
  return inTransaction(database, async (transaction) => {
    const disabled = await disableEndpoint(transaction, id, DISABLED_BY_OPERATOR);
    if (disabled === undefined) return undefined;
    const { accountId, url } = disabled;
    await insertAuditEvent(transaction, operatorOf(accountId, operator), {
      ...{ action: 'webhook.changed', subject: new URL(url).origin },
      details: { webhookId: id, fields: ['enabled'] },
    });
    return disabled;
  });
}
