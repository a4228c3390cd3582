/** Starts to write sites that their own processes did not write. The scope of the process stops it. */
import type { ReportJob } from '../jobs/job-tasks.ts';
import { startWorkingOff } from '../jobs/start-working-off.ts';
import { createChangedSiteQueue, LOOK_EVERY_MS, SWEPT_AT_ONCE } from '../sites/changed-site-queue.ts';
import type { SiteWriter } from './create-site-writer.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

export interface StartSiteSweepOptions extends DatabaseProcessOptions {
  readonly writeSite: SiteWriter;
  readonly reportJob: ReportJob;
}

export function startSiteSweep({ database, log, scope, writeSite, reportJob }: StartSiteSweepOptions): void {
  const queue = createChangedSiteQueue({ database, writeSite });
  const options = { atOnce: SWEPT_AT_ONCE, log, report: reportJob, pollMs: LOOK_EVERY_MS };
  const sweep = startWorkingOff(queue, options);
  scope.defer(() => sweep.stop());
}
