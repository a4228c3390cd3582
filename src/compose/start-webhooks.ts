/** Starts to deliver events. The scope of the process stops it. */
import type { ReportJob } from '../jobs/job-tasks.ts';
import { startWorkingOff } from '../jobs/start-working-off.ts';
import type { ReadCounts } from '../operations/counts.ts';
import { createWebhookMetrics } from '../operations/webhook-metrics.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import type { AskOutside } from '../platform/http/outbound.ts';
import { createDeliveryQueue } from '../webhooks/delivery-queue.ts';
import { connectionsFor } from './connection-shares.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

/** Each is a socket that mostly waits. */
const DELIVERIES_AT_ONCE = 400;

export interface StartWebhooksOptions extends DatabaseProcessOptions {
  readonly ask: AskOutside;
  readonly readCount: ReadCounts;
  readonly reportJob: ReportJob;
}

/** Without WEBHOOK_SECRET, events wait for a process that has it. */
export function startWebhooks({
  config,
  database,
  log,
  metrics,
  scope,
  ask,
  readCount,
  reportJob,
}: StartWebhooksOptions): void {
  const report = createWebhookMetrics(metrics, readCount('webhooks'));
  const { WEBHOOK_SECRET: master } = config;
  if (master === undefined) return;
  const recordTurns = new Turns(connectionsFor('results of webhooks', config));
  const delivering = { database, recordTurns, ask, master, random: Math.random, log, report };
  const queue = createDeliveryQueue(delivering, DELIVERIES_AT_ONCE);
  const working = startWorkingOff(queue, { atOnce: DELIVERIES_AT_ONCE, log, report: reportJob });
  scope.defer(() => working.stop());
}
