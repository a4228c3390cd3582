/** Starts to check robots.txt of page hosts. The scope of the process stops it. */
import type { ReportJob } from '../jobs/job-tasks.ts';
import { startWorkingOff } from '../jobs/start-working-off.ts';
import type { ReadCounts } from '../operations/counts.ts';
import { createPageHostMetrics } from '../operations/page-host-metrics.ts';
import { CHECKED_AT_ONCE, createPageHostQueue } from '../page-hosts/page-host-queue.ts';
import { readRobots } from '../page-hosts/read-robots.ts';
import { createReadRecent } from '../page-hosts/recent-readings.ts';
import type { AskOutside } from '../platform/http/outbound.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

export interface StartPageHostsOptions extends DatabaseProcessOptions {
  readonly ask: AskOutside;
  readonly readCount: ReadCounts;
  readonly reportJob: ReportJob;
}

export function startPageHosts(options: StartPageHostsOptions): void {
  const { database, log, metrics, scope, publicOrigin, secureOrigin, ask, readCount, reportJob } = options;
  const queue = createPageHostQueue({
    database,
    publicOrigin,
    secureOrigin,
    readRecent: createReadRecent((origin, signal) => readRobots(ask, origin, signal)),
    random: Math.random,
    checked: createPageHostMetrics(metrics, readCount('page hosts')),
  });
  const checking = startWorkingOff(queue, { atOnce: CHECKED_AT_ONCE, log, report: reportJob });
  scope.defer(() => checking.stop());
}
