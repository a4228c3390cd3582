/** Starts to compare uploads with the ones that they replaced. The scope of the process stops it. */
import type { OnCounted, OpenChangeSink } from '../changes/comparison.ts';
import { comparisonQueues } from '../changes/comparison-queues.ts';
import type { ReportJob } from '../jobs/job-tasks.ts';
import { startWorkingOff } from '../jobs/start-working-off.ts';
import { createChangeMetrics } from '../operations/change-metrics.ts';
import type { ReadCounts } from '../operations/counts.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

export interface StartChangesOptions extends DatabaseProcessOptions {
  readonly openSink: OpenChangeSink;
  readonly onCounted: OnCounted;
  readonly readCount: ReadCounts;
  readonly reportJob: ReportJob;
}

export function startChanges(options: StartChangesOptions): void {
  const { database, storage, log, metrics, scope, openSink, onCounted, readCount, reportJob } = options;
  const report = createChangeMetrics(metrics, readCount('comparisons'));
  const queues = comparisonQueues({ database, storage, log, openSink, onCounted, report }, scope);
  for (const queue of queues) {
    const working = startWorkingOff(queue, { atOnce: 1, log, report: reportJob });
    scope.defer(() => working.stop());
  }
}
