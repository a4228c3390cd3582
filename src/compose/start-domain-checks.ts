/** Starts to check the DNS records of served domains. The scope of the process stops it. */
import { findOverdueChecks } from '../domains/check-store.ts';
import {
  createCheckQueue,
  LOOK_EVERY_MS,
  RECHECKED_AT_ONCE,
  type RecheckDomainsOptions,
} from '../domains/recheck-domains.ts';
import type { ReportJob } from '../jobs/job-tasks.ts';
import { startWorkingOff } from '../jobs/start-working-off.ts';
import type { ReadCounts } from '../operations/counts.ts';
import { createDomainMetrics } from '../operations/domain-metrics.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

export interface StartDomainChecksOptions
  extends Omit<RecheckDomainsOptions, 'checked'>,
    Pick<DatabaseProcessOptions, 'database' | 'log' | 'metrics' | 'scope'> {
  readonly readCount: ReadCounts;
  readonly reportJob: ReportJob;
}

export function startDomainChecks({
  metrics,
  scope,
  readCount,
  reportJob,
  ...options
}: StartDomainChecksOptions): void {
  const checked = createDomainMetrics(metrics, readCount('domains'), () =>
    findOverdueChecks(options.database),
  );
  const working = startWorkingOff(createCheckQueue({ ...options, checked }), {
    atOnce: RECHECKED_AT_ONCE,
    log: options.log,
    report: reportJob,
    pollMs: LOOK_EVERY_MS,
  });
  scope.defer(() => working.stop());
}
