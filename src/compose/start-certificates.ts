/**
 * Starts to work on certificates, with a job runner of its own: an authority that is slow holds up no other job. The scope
 * of the process stops it.
 */

import { setPriorities } from '../certificates/certificate-store.ts';
import {
  type EnqueueIssuance,
  enqueueDueCertificates,
  workOnCertificate,
} from '../certificates/due-certificates.ts';
import type { Authorities } from '../certificates/issue-certificate.ts';
import { sealAnew } from '../certificates/seal-anew.ts';
import type { ChangeSite } from '../domains/domain.ts';
import { enqueueIssuance } from '../jobs/enqueue-issuance.ts';
import type { RecurringJob } from '../jobs/job.ts';
import type { ReportJob } from '../jobs/job-tasks.ts';
import { startJobRunner } from '../jobs/start-job-runner.ts';
import { createCertificateMetrics } from '../operations/certificate-metrics.ts';
import type { ReadCounts } from '../operations/counts.ts';
import type { DatabaseProcessOptions } from './open-database.ts';

/** They wait for the authority nearly all the time. */
const ISSUED_AT_ONCE = 10;
const RECURRING_JOBS: readonly RecurringJob[] = [
  { name: 'certificates.sweep', everyMs: 60_000 },
  { name: 'certificates.prioritize', everyMs: 60 * 60_000 },
  { name: 'certificates.seal', everyMs: 5 * 60_000 },
];

export interface StartCertificatesOptions extends DatabaseProcessOptions {
  readonly authorities: Authorities | undefined;
  readonly changeSite: ChangeSite;
  readonly readCount: ReadCounts;
  readonly reportJob: ReportJob;
}

export async function startCertificates(options: StartCertificatesOptions): Promise<void> {
  const { authorities, database, log, metrics, scope, changeSite, readCount, reportJob } = options;
  const report = createCertificateMetrics(metrics, readCount('certificates'));
  const issuing = { database, authorities, changeSite, random: Math.random, log, report };
  const enqueue: EnqueueIssuance = (domainId, delayMs, isFirst = false) =>
    enqueueIssuance(database, domainId, { delayMs, isFirst });
  const handlers = {
    'certificate.issue': ({ domainId }: { domainId: string }) =>
      workOnCertificate(issuing, domainId, enqueue),
    'certificates.sweep': () => enqueueDueCertificates(database, enqueue),
    'certificates.prioritize': () => setPriorities(database),
    'certificates.seal': async () => {
      if (authorities !== undefined) await sealAnew({ database, keys: authorities.keys, changeSite, log });
    },
  };
  const runner = await startJobRunner(database, handlers, RECURRING_JOBS, log, {
    report: reportJob,
    jobsAtOnce: ISSUED_AT_ONCE,
  });
  scope.defer(() => runner.stop());
}
