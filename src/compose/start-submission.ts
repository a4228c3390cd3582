/**
 * Starts to submit changed URLs, if the operator has configured where. The scope of the process stops it. Its outbox is for
 * the comparisons of uploads.
 */
import type { ChangeSite } from '../domains/domain.ts';
import type { ReportJob } from '../jobs/job-tasks.ts';
import { startWorkingOff } from '../jobs/start-working-off.ts';
import type { ReadCounts } from '../operations/counts.ts';
import { createSubmissionMetrics } from '../operations/submission-metrics.ts';
import type { AskOutside } from '../platform/http/outbound.ts';
import { type HostWork, takeHosts } from '../submission/host-store.ts';
import { createOpenOutbox, type OpenOutbox } from '../submission/open-outbox.ts';
import { workOnHost } from '../submission/work-on-host.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

/** They wait for others nearly all the time. */
const HOSTS_AT_ONCE = 10;
/** Between two requests for a host: 10,000 URLs in each make 300,000 a minute. */
const PAUSE_MS = 2000;

export interface StartSubmissionOptions extends DatabaseProcessOptions {
  readonly ask: AskOutside;
  readonly changeSite: ChangeSite;
  readonly readCount: ReadCounts;
  readonly reportJob: ReportJob;
}

export function startSubmission(options: StartSubmissionOptions): OpenOutbox {
  const { config, database, storage, log, metrics, scope, ask, changeSite, readCount, reportJob } = options;
  const { INDEXNOW_ENDPOINT: endpoint, INDEXNOW_URLS_PER_DAY: urlsPerDay } = config;
  if (endpoint === undefined) return async () => undefined;
  const report = createSubmissionMetrics(metrics, readCount('submissions'));
  const hostOptions = {
    ...{ database, storage, ask, changeSite, log, endpoint, urlsPerDay, report },
    pauseMs: PAUSE_MS,
    random: Math.random,
  };
  const queue = {
    name: 'indexnow',
    take: (limit: number) => takeHosts(database, limit),
    work: (host: HostWork, signal: AbortSignal) => workOnHost(hostOptions, host, signal),
  };
  const running = startWorkingOff(queue, { atOnce: HOSTS_AT_ONCE, log, report: reportJob });
  scope.defer(() => running.stop());
  return createOpenOutbox({ database, storage });
}
