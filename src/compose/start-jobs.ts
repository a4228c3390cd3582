/** Starts to work on jobs. The scope of the process stops it. */
import type { JobWorks } from '../core/jobs/job.ts';
import { enqueueJob } from '../core/jobs/job-store.ts';
import { startJobRunner } from '../core/jobs/start-job-runner.ts';
import { type Plans, replacedBytesOf } from '../features/accounts/plans.ts';
import type { Authorities } from '../features/certificates/issue-certificate.ts';
import { openCertificates } from '../features/certificates/open-certificates.ts';
import { findImportAge } from '../features/crawls/crawl-store.ts';
import { caaIdentitiesOf } from '../features/domains/caa.ts';
import { createDiagnose } from '../features/domains/diagnose-domain.ts';
import { createIndexQueue } from '../features/find/index-queue.ts';
import { recordPageHosts } from '../features/page-hosts/record-page-hosts.ts';
import { createRecentQueue } from '../features/recent/recent-queue.ts';
import { createScheduleQueue } from '../features/uploads/schedules/run-schedule.ts';
import { createReadCounts } from '../operations/counts.ts';
import { createCrawlImportMetrics } from '../operations/crawl-metrics.ts';
import { createCertificateMetrics, createWorkMetrics } from '../operations/queue-metrics.ts';
import { createGarbageMetrics, createJobReport } from '../operations/site-metrics.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import { createLookUp } from '../platform/dns/look-up.ts';
import { newId } from '../platform/ids.ts';
import { createDatabasePool } from '../platform/postgres/database.ts';
import { ConfigError } from '../platform/process/config-error.ts';
import { Secret } from '../platform/secret.ts';
import { domainLife } from './domain-life.ts';
import { keyRingOf } from './key-ring-of.ts';
import type { DatabaseProcessOptions } from './open-database.ts';
import { openOutbound } from './open-outbound.ts';
import { openProcessSites } from './open-process-sites.ts';
import { createRoomJobs, type RoomJobsOptions } from './room-jobs.ts';
import { startQueue } from './start-queue.ts';
import {
  startChanges,
  startDomainChecks,
  startPageHosts,
  startSubmission,
  startWebhooks,
} from './start-queues.ts';

/** The most concurrent diagnoses of domains that wait for their verification. */
const DIAGNOSES_AT_ONCE = 8;
/** The jobs that each start enqueues: the store of an older version has no host directory yet, and an upgrade leaves work to do. */
const FIRST_JOBS = [
  'hosts.write',
  'schema.backfill',
  'comparisons.sweep',
  'domains.pace',
  'counts.refresh',
] as const;

/** Starts the jobs of a process. `authorities`: undefined while the operator has configured none. */
export async function startJobs(
  options: DatabaseProcessOptions,
  plans: Plans,
  authorities: Authorities | undefined,
): Promise<void> {
  const { config, database, log, metrics, scope } = options;
  const reportJob = createJobReport(metrics);
  const sites = openProcessSites(options, 'sites of the jobs');
  const readCount = createReadCounts(metrics, database);
  createWorkMetrics(metrics, readCount('work'));
  const common = { ...options, ...domainLife(sites), ask: openOutbound(options), readCount, reportJob };
  const diagnose = createDiagnose(createLookUp(config.DNS_SERVERS), caaIdentitiesOf(config.ACME_DIRECTORY));
  const jobs = createRoomJobs({
    ...common,
    plans,
    diagnose,
    sites,
    patiently: (work) => patiently(options, work),
    keys: keyRingOf(config),
    diagnosisTurns: new Turns(DIAGNOSES_AT_ONCE),
    garbage: {
      // A getter, because the plans change while the process runs.
      get replacedBytes() {
        return replacedBytesOf(plans);
      },
      report: createGarbageMetrics(metrics),
    },
    reportCrawls: createCrawlImportMetrics(metrics, () => findImportAge(database)),
  });
  const run = async (works: Partial<JobWorks>, jobsAtOnce?: number) => {
    const runner = await startJobRunner(database, works, log, {
      report: reportJob,
      ...(jobsAtOnce && { jobsAtOnce }),
    });
    scope.defer(() => runner.stop());
  };
  for (const name of FIRST_JOBS) await enqueueJob(database, name, {}, { key: name });
  await run(jobs);
  startQueue(common, sites.sweep);
  startDomainChecks({ ...common, diagnose });
  const report = createCertificateMetrics(metrics, readCount('certificates'), readCount('missing keys'));
  if (config.API_HOSTNAME !== undefined && authorities === undefined) {
    throw new ConfigError('With API_HOSTNAME set, ACME_DIRECTORY and CERTIFICATE_KEYS must be set too.');
  }
  const certificates = openCertificates(
    { ...common, authorities, random: Math.random, report },
    config.API_HOSTNAME,
  );
  // Certificates have a runner of their own: a slow authority holds up no other job.
  await run(certificates.jobs, certificates.jobsAtOnce);
  startWebhooks(common);
  const openSink = startSubmission(common);
  startPageHosts(common);
  startChanges({ ...common, openSink, onCounted: recordPageHosts });
  startQueue(common, createIndexQueue(common, common.scope));
  startQueue(common, createRecentQueue({ ...common, newId, hub: config.WEBSUB_HUB }));
  // This queue only begins the loads of schedules. Processes of the API run these loads.
  startQueue(common, createScheduleQueue({ ...common, newId }));
}

const PATIENT_CONNECTIONS = 4;
const NO_TIMEOUT = 0;

/** Gives the doctor a pool of its own while it works, because its statements read whole tables and have no time limit. */
async function patiently(options: DatabaseProcessOptions, work: Parameters<RoomJobsOptions['patiently']>[0]) {
  const url = new Secret(String(options.database.options.connectionString));
  const own = createDatabasePool(url, PATIENT_CONNECTIONS, options.log, NO_TIMEOUT);
  try {
    return await work({ ...options, database: own });
  } finally {
    await own.end();
  }
}
