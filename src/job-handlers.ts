/** The list of jobs and what each does, so that no feature imports another for the sake of a job. */
import type { JobHandlers, RecurringJob } from './platform/job-queue.ts';
import { collectGarbage, type GarbageParts } from './sites/collect-garbage.ts';
import { type HostDirectoryParts, writeAllHosts } from './sites/write-hosts.ts';

export interface JobParts extends GarbageParts, HostDirectoryParts {
  readonly storage: GarbageParts['storage'] & HostDirectoryParts['storage'];
  /** `changedAt`: when the site was changed at the latest. */
  readonly writeSite: (hostname: string, changedAt: Date) => Promise<unknown>;
}

export function jobHandlers(parts: JobParts): JobHandlers {
  return {
    'site.publish': async ({ hostname }, since) => void (await parts.writeSite(hostname, since)),
    'garbage.collect': () => collectGarbage(parts),
    'hosts.write': async () => void (await writeAllHosts(parts)),
  };
}

export const RECURRING_JOBS: readonly RecurringJob[] = [
  { name: 'garbage.collect', schedule: '*/10 * * * *' },
  { name: 'hosts.write', schedule: '17 * * * *' },
];
