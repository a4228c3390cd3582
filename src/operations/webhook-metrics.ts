/** The metrics of webhooks and mails: how attempts end, and how many deliveries wait. */
import type { ReadCount } from './counts.ts';
import { countBy, exposeGauge, type Metrics } from './registry.ts';

/** Returns the function to call after each attempt. */
export function createWebhookMetrics(
  metrics: Metrics,
  count: ReadCount<'webhooks'>,
): (outcome: string) => void {
  exposeGauge(metrics, 'waypost_webhook_deliveries_waiting', {
    help: 'Deliveries that wait for their next attempt; every jobs process reports all of them',
    read: async () => (await count())?.count,
  });
  exposeGauge(metrics, 'waypost_webhook_deliveries_overdue_seconds', {
    help: 'For how long the webhook that waits longest has waited for its turn',
    read: async () => (await count())?.overdueSeconds,
  });
  exposeGauge(metrics, 'waypost_webhooks_disabled', {
    help: 'Webhooks that are disabled',
    read: async () => (await count())?.disabledEndpoints,
  });
  return countBy(
    metrics,
    'waypost_webhook_attempts_total',
    'outcome',
    'Attempts to deliver an event, by how they ended; failed: tried again',
  );
}

/** Returns the function to call after each attempt to hand a mail to the server. */
export function createMailMetrics(metrics: Metrics): (outcome: string) => void {
  return countBy(
    metrics,
    'waypost_mail_attempts_total',
    'outcome',
    'Attempts to hand a mail to the server, by how they ended; failed: tried again',
  );
}
