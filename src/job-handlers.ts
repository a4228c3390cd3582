/** The list of jobs and what each does, so that no feature imports another for the sake of a job. */
import type { JobHandlers, RecurringJob } from './platform/job-queue.ts';
import { collectGarbage, type GarbageParts } from './sites/collect-garbage.ts';

export interface JobParts extends GarbageParts {
  readonly writeSite: (hostname: string) => Promise<void>;
}

export function jobHandlers(parts: JobParts): JobHandlers {
  return {
    'site.publish': ({ hostname }) => parts.writeSite(hostname),
    'garbage.collect': () => collectGarbage(parts),
  };
}

export const RECURRING_JOBS: readonly RecurringJob[] = [
  { name: 'garbage.collect', schedule: '*/10 * * * *' },
];
