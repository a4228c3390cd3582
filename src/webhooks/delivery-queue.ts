/**
 * The queue of deliveries that a process works off (`jobs/start-working-off.ts`). A receiver that hangs costs a place for 20 s,
 * so those that were slow the last time have at most half of the places: others never wait for them.
 */
import type { WorkQueue } from '../jobs/start-working-off.ts';
import { type DeliverOptions, deliver } from './deliver.ts';
import type { TakenDelivery } from './delivery.ts';
import { takeDeliveries } from './take-deliveries.ts';

/** `atOnce`: deliveries under way in this process, of all endpoints. */
export function createDeliveryQueue(options: DeliverOptions, atOnce: number): WorkQueue<TakenDelivery> {
  const { database } = options;
  let slowUnderWay = 0;
  return {
    name: 'webhook.deliver',
    async take(limit) {
      const others = await takeDeliveries(database, limit, { isSlow: false });
      const slowLimit = Math.min(limit - others.length, Math.floor(atOnce / 2) - slowUnderWay);
      if (slowLimit <= 0) return others;
      const slow = await takeDeliveries(database, slowLimit, { isSlow: true });
      slowUnderWay += slow.length;
      return [...others, ...slow];
    },
    async work(delivery, signal) {
      await deliver(options, delivery, signal).finally(() => {
        if (delivery.isSlow) slowUnderWay -= 1;
      });
    },
  };
}
