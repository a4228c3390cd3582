/** Webhooks over a real database, with a receiver on loopback. Time passes in the database. */
import { Webhook } from 'standardwebhooks';
import { afterAll } from 'vitest';
import { type DeliverOptions, type DeliveryOutcome, deliver } from '../../src/features/webhooks/deliver.ts';
import { listDeliveries } from '../../src/features/webhooks/delivery-store.ts';
import { emitEvent } from '../../src/features/webhooks/emit-event.ts';
import type { Endpoint } from '../../src/features/webhooks/endpoint.ts';
import { shownSecret } from '../../src/features/webhooks/endpoint-secret.ts';
import { findEndpoint, insertEndpoint } from '../../src/features/webhooks/endpoint-store.ts';
import { takeDeliveries } from '../../src/features/webhooks/take-deliveries.ts';
import { Turns } from '../../src/platform/concurrency/turns.ts';
import { type AskOutside, createAskOutside } from '../../src/platform/http/outbound.ts';
import { newId } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secret.ts';
import { addAccount } from '../support/accounts.ts';
import { collectLog } from '../support/collect-log.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { type ReceivedEvent, startWebhookReceiver } from '../support/webhook-receiver.ts';

const MASTER = new Secret('a master secret of the tests that has 32 characters');

export async function createWebhookFixture() {
  const { database, url } = await createTestDatabase();
  const receiver = await startWebhookReceiver();
  afterAll(() => receiver[Symbol.asyncDispose]());
  const account = await addAccount(database);
  const outcomes: DeliveryOutcome[] = [];
  const log = collectLog();
  const ask = createAskOutside({ allowedRanges: ['127.0.0.0/8'] });
  const options: DeliverOptions = {
    ...{ database, ask, master: MASTER, log },
    dashboardOrigin: 'https://waypost.example.net',
    recordTurns: new Turns(5),
    random: () => 0.5,
    report: (outcome) => void outcomes.push(outcome),
  };

  return {
    ...{ database, url, receiver, account, outcomes, log, options },
    /** By default at the path /<n> of the receiver, for all events. */
    async addEndpoint(
      given: Partial<Pick<Endpoint, 'accountId' | 'url' | 'format' | 'eventTypes'>> = {},
    ): Promise<Endpoint> {
      const id = newId('webhook');
      const common = {
        id,
        accountId: account,
        url: `${receiver.url}/${id}`,
        description: '',
        eventTypes: null,
      };
      return insertEndpoint(database, { ...common, ...given });
    },
    async emit(accountId = account, domain = 'maps.example.com'): Promise<void> {
      await emitEvent(database, accountId, 'domain.verified', { domainId: 'domain_1', domain });
    },
    /** Delivers whatever is due now, once for each endpoint. Returns how many. */
    async deliverDue(changed: Partial<DeliverOptions> = {}): Promise<number> {
      const signal = new AbortController().signal;
      const due = [
        ...(await takeDeliveries(database, 1000, { isSlow: false })),
        ...(await takeDeliveries(database, 1000, { isSlow: true })),
      ];
      await Promise.all(due.map((one) => deliver({ ...options, ...changed }, one, signal)));
      return due.length;
    },
    /** Moves the times back, as if so much time had passed. */
    async pass(seconds: number): Promise<void> {
      const back = (...columns: string[]) =>
        columns.map((column) => `${column} = ${column} - ${seconds} * interval '1 second'`).join(', ');
      await database.query(
        `UPDATE webhook_deliveries SET ${back('due_at', 'attempted_at', 'delivered_at')};
         UPDATE webhook_endpoints SET ${back('former_until', 'leased_until', 'attempted_at', 'failing_since', 'disabled_at')};
         UPDATE webhook_events SET ${back('created_at')}`,
      );
    },
    deliveries: ({ id }: Endpoint) => listDeliveries(database, id, 1000, undefined),
    read: async ({ id }: Endpoint) => (await findEndpoint(database, id))!,
    /** Asks with another time limit than that of deliveries. */
    within: (timeoutMs: number) => ((request) => ask({ ...request, timeoutMs })) satisfies AskOutside,
    secretOf: ({ id }: Endpoint, version = 1) => shownSecret(MASTER, id, version),
    /** The judge: throws unless the signature is right. Returns the message. */
    verify: (secret: string, { body, headers }: ReceivedEvent) =>
      new Webhook(secret).verify(body, headers as Record<string, string>) as {
        type: string;
        timestamp: string;
        data: Record<string, unknown>;
      },
  };
}
