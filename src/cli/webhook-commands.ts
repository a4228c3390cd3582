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
import { getAccount } from './get-account.ts';
import { JSON_OPTION, type JsonOption, printJson } from './print-json.ts';
import { printTable, shownTime } from './print-table.ts';
import { UsageError } from './usage-error.ts';

const MAX_ROWS = 1_000;

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('list webhooks and their deliveries, and intervene');
  webhook
    .command('list')
    .description(`list webhooks, newest first, at most ${MAX_ROWS}`)
    .option('--account <account-id>', 'only those of this account')
    .option(...JSON_OPTION)
    .action(async ({ account, json }: JsonOption & { account?: string }) => {
      const listed = await withDatabase(async (database) => {
        if (account !== undefined) await getAccount(database, account);
        return listEndpoints(database, account, MAX_ROWS, undefined);
      });
      if (json) printJson(listed.map(({ position: _position, ...one }) => one));
      else printEndpoints(listed);
    });
  webhook
    .command('deliveries')
    .description(`list the deliveries of a webhook, newest first, at most ${MAX_ROWS}`)
    .argument('<webhook-id>')
    .option(...JSON_OPTION)
    .action(async (id: string, { json }: JsonOption) => {
      const listed = await withDatabase(async (database) => {
        await requireEndpoint(database, id);
        return listDeliveries(database, id, MAX_ROWS, undefined);
      });
      if (json) printJson(listed.map(({ position: _position, ...one }) => one));
      else printDeliveries(listed);
    });
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

function printEndpoints(listed: readonly Endpoint[]): void {
  printTable(
    ['id', 'account', 'address', 'events', 'created', 'disabled', 'why'],
    listed.map((one) => [
      ...[one.id, one.accountId, one.url, one.eventTypes?.join(', ') ?? 'all'],
      ...[one.createdAt, one.disabledAt].map(shownTime),
      one.disabledWhy ?? '',
    ]),
  );
}

function printDeliveries(listed: readonly DeliverySummary[]): void {
  printTable(
    ['event', 'type', 'happened', 'attempts', 'delivered', 'next attempt', 'last error'],
    listed.map((one) => [
      ...[one.eventId, one.type, shownTime(one.happenedAt), String(one.attempts)],
      ...[one.deliveredAt, one.nextAttemptAt].map(shownTime),
      one.lastError ?? '',
    ]),
  );
}
