/** The metrics of webhooks: how attempts end, and how many deliveries wait. */
import { Counter, Gauge } from 'prom-client';
import type { WaitingDeliveries } from '../features/webhooks/delivery.ts';
import type { ReadCount } from './counts.ts';
import { type Metrics, setOrRemove } from './registry.ts';

/** Returns the function to call after each attempt. */
export function createWebhookMetrics(
  metrics: Metrics,
  count: ReadCount<'webhooks'>,
): (outcome: string) => void {
  const registers = [metrics];
  const gauge = (name: string, help: string, read: (waiting: WaitingDeliveries) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const waiting = await count();
        setOrRemove(this, waiting && read(waiting));
      },
    });
  gauge(
    'waypost_webhook_deliveries_waiting',
    'Deliveries that wait for their next attempt; every jobs process reports all of them',
    ({ count }) => count,
  );
  gauge(
    'waypost_webhook_deliveries_overdue_seconds',
    'For how long the webhook that waits longest has waited for its turn',
    ({ overdueSeconds }) => overdueSeconds,
  );
  gauge('waypost_webhooks_disabled', 'Webhooks that are disabled', (waiting) => waiting.disabledEndpoints);
  const attempts = new Counter({
    name: 'waypost_webhook_attempts_total',
    help: 'Attempts to deliver an event, by how they ended; failed: tried again',
    labelNames: ['outcome'],
    registers,
  });
  return (outcome) => attempts.inc({ outcome });
}
