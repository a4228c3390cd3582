/** Starts to work off the queues of the rooms, each with its metrics. The scope of the process stops them. */
import type { OnCounted, OpenChangeSink } from '../features/changes/comparison.ts';
import { comparisonQueues } from '../features/changes/comparison-queues.ts';
import { findOverdueChecks } from '../features/domains/check-store.ts';
import type { OpenChange } from '../features/domains/domain.ts';
import { createCheckQueue, type RecheckDomainsOptions } from '../features/domains/recheck-domains.ts';
import { createPageHostQueue } from '../features/page-hosts/page-host-queue.ts';
import { readRobots } from '../features/page-hosts/read-robots.ts';
import { createReadRecent } from '../features/page-hosts/recent-readings.ts';
import { createOpenOutbox, type OpenOutbox } from '../features/submission/open-outbox.ts';
import { createSubmissionQueue } from '../features/submission/work-on-host.ts';
import { createDeliveryQueue, createMailQueue } from '../features/webhooks/delivery-queue.ts';
import { createSendMail } from '../features/webhooks/mail/send-mail.ts';
import type { ReadCounts } from '../operations/counts.ts';
import {
  createChangeMetrics,
  createDomainMetrics,
  createMailMetrics,
  createPageHostMetrics,
  createSubmissionMetrics,
  createWebhookMetrics,
} from '../operations/queue-metrics.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import type { AskOutside } from '../platform/http/outbound.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import { connectionsFor } from './connection-shares.ts';
import type { DatabaseProcessOptions } from './open-database.ts';
import { type StartQueueOptions, startQueue } from './start-queue.ts';

export interface QueueOptions extends DatabaseProcessOptions, StartQueueOptions {
  readonly readCount: ReadCounts;
}

/** Starts the checks of the DNS records of served domains. */
export function startDomainChecks(options: QueueOptions & Omit<RecheckDomainsOptions, 'checked'>): void {
  const { metrics, readCount, database } = options;
  const checked = createDomainMetrics(metrics, readCount('domains'), () => findOverdueChecks(database));
  startQueue(options, createCheckQueue({ ...options, checked }));
}

/**
 * Starts the delivery of webhooks and, with SMTP_URL, of mails. Without WEBHOOK_SECRET, events wait for a process that has it. Throws
 * ConfigError.
 */
export function startWebhooks(options: QueueOptions & { readonly ask: AskOutside }): void {
  const { config, database, log, metrics, ask, readCount } = options;
  const report = createWebhookMetrics(metrics, readCount('webhooks'));
  const { WEBHOOK_SECRET: master, DASHBOARD_ORIGIN: dashboardOrigin, SMTP_URL, MAIL_FROM } = config;
  if (master === undefined) {
    if (SMTP_URL !== undefined) throw new ConfigError('With SMTP_URL set, WEBHOOK_SECRET must be set too.');
    return;
  }
  const recordTurns = new Turns(connectionsFor('results of webhooks', config));
  const delivering = {
    database,
    recordTurns,
    ask,
    master,
    dashboardOrigin,
    random: Math.random,
    log,
    report,
  };
  startQueue(options, createDeliveryQueue(delivering));
  if (SMTP_URL === undefined) return;
  if (MAIL_FROM === undefined || dashboardOrigin === undefined) {
    throw new ConfigError('With SMTP_URL set, MAIL_FROM and DASHBOARD_ORIGIN must be set too.');
  }
  const sendMail = createSendMail(SMTP_URL, MAIL_FROM);
  startQueue(options, createMailQueue({ ...delivering, report: createMailMetrics(metrics), sendMail }));
}

/**
 * Starts submission, if the operator has configured an endpoint. Returns the function that opens the outbox for the comparisons of uploads.
 * Without an endpoint, there is no outbox.
 */
export function startSubmission(
  options: QueueOptions & { readonly ask: AskOutside; readonly openChange: OpenChange },
): OpenOutbox {
  const { config, database, storage, log, metrics, ask, openChange, readCount } = options;
  const { INDEXNOW_ENDPOINT: endpoint, INDEXNOW_URLS_PER_DAY: urlsPerDay } = config;
  if (endpoint === undefined) return async () => undefined;
  const report = createSubmissionMetrics(metrics, readCount('submissions'));
  const submitting = { database, storage, ask, openChange, log, endpoint, urlsPerDay, report };
  startQueue(options, createSubmissionQueue({ ...submitting, random: Math.random }));
  return createOpenOutbox({ database, storage });
}

/** Starts the checks of robots.txt. */
export function startPageHosts(options: QueueOptions & { readonly ask: AskOutside }): void {
  const { metrics, ask, readCount } = options;
  const readRecent = createReadRecent((origin, signal) => readRobots(ask, origin, signal));
  const checked = createPageHostMetrics(metrics, readCount('page hosts'));
  startQueue(options, createPageHostQueue({ ...options, readRecent, random: Math.random, checked }));
}

/** Starts the comparisons of live uploads, each with the last upload of its sitemap that was compared. */
export function startChanges(
  options: QueueOptions & { readonly openSink: OpenChangeSink; readonly onCounted: OnCounted },
): void {
  const report = createChangeMetrics(options.metrics, options.readCount('comparisons'));
  for (const queue of comparisonQueues({ ...options, report }, options.scope)) startQueue(options, queue);
}
