/**
 * The queue of deliveries that a process works off (`core/jobs/start-working-off.ts`). A receiver that hangs costs a place for 20 s, so
 * receivers that were slow the last time have at most half of the places, and the others never wait for them.
 */
import type { WorkQueue } from '../../core/jobs/start-working-off.ts';
import { type DeliverOptions, deliver } from './deliver.ts';
import type { TakenDelivery } from './delivery.ts';
import { takeDeliveries } from './take-deliveries.ts';

/** The mails that are sent at once. Each takes a connection to the operator's mail server. */
const MAILS_AT_ONCE = 5;
const MAIL_POLL_MS = 2_000;
/** The concurrent deliveries of a process, over all endpoints. Each is a socket that mostly waits. */
const DELIVERIES_AT_ONCE = 400;

export function createDeliveryQueue(
  options: DeliverOptions,
  atOnce = DELIVERIES_AT_ONCE,
): WorkQueue<TakenDelivery> {
  const { database } = options;
  let slowUnderWay = 0;
  return {
    name: 'webhook.deliver',
    atOnce,
    async take(limit) {
      const others = await takeDeliveries(database, limit, { isSlow: false });
      const slowLimit = Math.min(limit - others.length, Math.floor(atOnce / 2) - slowUnderWay);
      if (slowLimit <= 0) return others;
      try {
        const slow = await takeDeliveries(database, slowLimit, { isSlow: true });
        slowUnderWay += slow.length;
        return [...others, ...slow];
      } catch (error) {
        // The others have their leases already. The next look meets the error again.
        if (others.length === 0) throw error;
        return others;
      }
    },
    async work(delivery, signal) {
      await deliver(options, delivery, signal).finally(() => {
        if (delivery.isSlow) slowUnderWay -= 1;
      });
    },
  };
}

/** The queue of mails. Mails and webhooks share tables, leases and retries. */
export function createMailQueue(options: DeliverOptions): WorkQueue<TakenDelivery> {
  const { database } = options;
  return {
    name: 'mail.deliver',
    atOnce: MAILS_AT_ONCE,
    pollMs: MAIL_POLL_MS,
    take: (limit) => takeDeliveries(database, limit, { isMail: true }),
    work: (delivery, signal) => deliver(options, delivery, signal),
  };
}
