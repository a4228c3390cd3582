/** The commands for webhooks of all accounts. */
import type { Command } from 'commander';
import { disableWebhook } from '../compose/disable-webhook.ts';
import { COMMAND_LINE } from '../features/accounts/actor.ts';
import type { DeliverySummary } from '../features/webhooks/delivery.ts';
import { listDeliveries, retryDelivery, retryFailedDeliveries } from '../features/webhooks/delivery-store.ts';
import type { Endpoint } from '../features/webhooks/endpoint.ts';
import { findEndpoint, listEndpoints } from '../features/webhooks/endpoint-store.ts';
import type { Database } from '../platform/postgres/database.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { getAccount } from './get-domain.ts';
import { JSON_OPTION } from './print-json.ts';
import { type ListOptions, limitOption, printList } from './print-list.ts';
import { shownTime } from './print-table.ts';
import { UsageError } from './usage-error.ts';

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('list webhooks and their deliveries, and intervene');
  webhook
    .command('list')
    .description('list webhooks, newest first')
    .option('--account <account-id>', 'only those of this account')
    .option(...limitOption())
    .option(...JSON_OPTION)
    .action(({ account, ...options }: ListOptions & { account?: string }) =>
      withDatabase(async (database) => {
        if (account !== undefined) await getAccount(database, account);
        await printList(options, {
          read: (limit, last: Endpoint | undefined) =>
            listEndpoints(database, account, limit, last?.position),
          head: ['id', 'account', 'address', 'events', 'created', 'disabled', 'why'],
          cellsOf: (one) => [
            ...[one.id, one.accountId, one.url, one.eventTypes?.join(', ') ?? 'all'],
            ...[one.createdAt, one.disabledAt].map(shownTime),
            one.disabledWhy ?? '',
          ],
        });
      }),
    );
  webhook
    .command('deliveries')
    .description('list the deliveries of a webhook, newest first')
    .argument('<webhook-id>')
    .option(...limitOption())
    .option(...JSON_OPTION)
    .action((id: string, options: ListOptions) =>
      withDatabase(async (database) => {
        await requireEndpoint(database, id);
        await printList(options, {
          read: (limit, last: DeliverySummary | undefined) =>
            listDeliveries(database, id, limit, last?.position),
          head: ['event', 'type', 'happened', 'attempts', 'delivered', 'next attempt', 'last error'],
          cellsOf: (one) => [
            ...[one.eventId, one.type, shownTime(one.happenedAt), String(one.attempts)],
            ...[one.deliveredAt, one.nextAttemptAt].map(shownTime),
            one.lastError ?? '',
          ],
        });
      }),
    );
  webhook
    .command('retry')
    .description('deliver one event now, or all that were given up')
    .argument('<webhook-id>')
    .argument('[event-id]')
    .action(async (id: string, eventId: string | undefined) => {
      const count = await withDatabase(async (database) => {
        await requireEndpoint(database, id);
        if (eventId === undefined) return retryFailedDeliveries(database, id);
        if ((await retryDelivery(database, id, eventId)) !== undefined) return 1;
        throw new UsageError(`${id} has no delivery of ${eventId}.`);
      });
      print(eventId === undefined ? `${count} deliveries are due now.` : `${eventId} is due now.`);
    });
  webhook
    .command('disable')
    .description('send nothing more to a webhook, until its owner enables it again')
    .argument('<webhook-id>')
    .action(async (id: string) => {
      const found = await withDatabase((database) => disableWebhook(database, COMMAND_LINE, id));
      if (found === undefined) throw noWebhook(id);
      print(`${id} is disabled.`);
    });
}

async function requireEndpoint(database: Database, id: string): Promise<void> {
  if ((await findEndpoint(database, id)) === undefined) throw noWebhook(id);
}

function noWebhook(id: string): UsageError {
  return new UsageError(`There is no webhook ${id}. See: webhook list`);
}
