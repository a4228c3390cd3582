/** The metrics of webhooks: how attempts end, and what waits. */
import { Counter, Gauge } from 'prom-client';
import { recentResult } from '../platform/concurrency/recent-result.ts';
import type { WaitingDeliveries } from '../webhooks/delivery.ts';
import type { Metrics } from './registry.ts';

/** The count reads an index entry of each waiting delivery. */
const COUNT_EVERY_MS = 30_000;

/** Returns what to call after each attempt. */
export function createWebhookMetrics(
  metrics: Metrics,
  count: () => Promise<WaitingDeliveries>,
): (outcome: string) => void {
  const registers = [metrics];
  // Without the database there are no values, and the other metrics are still read.
  const recentCount = recentResult(() => count().catch(() => undefined), { forMs: COUNT_EVERY_MS });
  const gauge = (name: string, help: string, read: (waiting: WaitingDeliveries) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const waiting = await recentCount();
        this.set(waiting === undefined ? Number.NaN : read(waiting));
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
