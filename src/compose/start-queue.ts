/** Starts to work off a queue, with its metrics. The scope of the process stops it. */
import type { ReportJob } from '../core/jobs/job-tasks.ts';
import { startWorkingOff, type WorkingOff, type WorkQueue } from '../core/jobs/start-working-off.ts';
import type { ProcessOptions } from './open-process.ts';

export interface StartQueueOptions extends Pick<ProcessOptions, 'log' | 'scope'> {
  readonly reportJob: ReportJob;
}

export function startQueue<Item>(
  { log, scope, reportJob }: StartQueueOptions,
  queue: WorkQueue<Item>,
): WorkingOff {
  const working = startWorkingOff(queue, { log, report: reportJob });
  scope.defer(() => working.stop());
  return working;
}
