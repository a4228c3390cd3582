/** Starts to work on jobs. The scope of the process stops it. */
import { type Plans, replacedBytesOf } from '../accounts/plans.ts';
import type { Authorities } from '../certificates/issue-certificate.ts';
import { findImportAge } from '../crawls/crawl-store.ts';
import { createDiagnose } from '../domains/diagnose-domain.ts';
import type { RecurringJob } from '../jobs/job.ts';
import { enqueueJob } from '../jobs/job-store.ts';
import { startJobRunner } from '../jobs/start-job-runner.ts';
import { createReadCounts } from '../operations/counts.ts';
import { createCrawlImportMetrics } from '../operations/crawl-metrics.ts';
import { createJobMetrics } from '../operations/site-metrics.ts';
import { recordPageHosts } from '../page-hosts/record-page-hosts.ts';
import { Turns } from '../platform/concurrency/turns.ts';
import { createLookUp } from '../platform/dns/look-up.ts';
import { createChangeSite } from '../sites/change-site.ts';
import { createSiteWriter } from './create-site-writer.ts';
import { domainLife } from './domain-life.ts';
import { createJobHandlers } from './job-handlers.ts';
import type { DatabaseProcessOptions } from './open-database.ts';
import { openOutbound } from './open-outbound.ts';
import { startCertificates } from './start-certificates.ts';
import { startChanges } from './start-changes.ts';
import { startDomainChecks } from './start-domain-checks.ts';
import { startPageHosts } from './start-page-hosts.ts';
import { startSiteSweep } from './start-site-sweep.ts';
import { startSubmission } from './start-submission.ts';
import { startWebhooks } from './start-webhooks.ts';

const MINUTE_MS = 60_000;
const RECURRING_JOBS: readonly RecurringJob[] = [
  { name: 'schema.backfill', everyMs: MINUTE_MS },
  { name: 'comparisons.sweep', everyMs: MINUTE_MS },
  { name: 'garbage.collect', everyMs: 10 * MINUTE_MS },
  { name: 'counts.refresh', everyMs: 15_000 },
  { name: 'held.expire', everyMs: 60 * MINUTE_MS },
  { name: 'hosts.write', everyMs: 60 * MINUTE_MS },
  { name: 'domains.pace', everyMs: 10 * MINUTE_MS },
  { name: 'domains.verify', everyMs: MINUTE_MS },
  { name: 'domains.expire', everyMs: 60 * MINUTE_MS },
  { name: 'crawls.import', everyMs: MINUTE_MS },
  { name: 'crawls.expire', everyMs: 60 * MINUTE_MS },
  { name: 'events.expire', everyMs: 60 * MINUTE_MS },
  { name: 'audit.expire', everyMs: 60 * MINUTE_MS },
  { name: 'attempts.expire', everyMs: 10 * MINUTE_MS },
  { name: 'claims.expire', everyMs: 10 * MINUTE_MS },
  { name: 'sessions.expire', everyMs: 10 * MINUTE_MS },
  { name: 'limits.expire', everyMs: 10 * MINUTE_MS },
];

/** Of domains that wait for their verification. */
const DIAGNOSES_AT_ONCE = 8;

/** `authorities`: undefined while the operator has not configured any. */
export async function startJobs(
  options: DatabaseProcessOptions,
  plans: Plans,
  authorities: Authorities | undefined,
): Promise<void> {
  const { config, database, log, metrics, scope, storage } = options;
  const { attempted, collected } = createJobMetrics(metrics);
  const ask = openOutbound(options);
  const writeSite = createSiteWriter(options, 'sites of the jobs');
  const changeSite = createChangeSite({ database, writeSite });
  const readCount = createReadCounts(metrics, database);
  const life = domainLife(changeSite, config.KEEP_REPLACED_MS);
  const diagnose = createDiagnose(createLookUp(config.DNS_SERVERS));
  const handlers = createJobHandlers({
    ...life,
    database,
    storage,
    log,
    diagnose,
    changeSite,
    diagnosisTurns: new Turns(DIAGNOSES_AT_ONCE),
    keepReplacedMs: config.KEEP_REPLACED_MS,
    replacedBytes: replacedBytesOf(plans),
    report: collected,
    reportCrawls: createCrawlImportMetrics(metrics, () => findImportAge(database)),
    writeSite,
  });
  // The store of an older version has no host directory yet.
  await enqueueJob(database, 'hosts.write', {}, { key: 'hosts.write' });
  // After an upgrade there is something to do at once.
  for (const name of ['schema.backfill', 'comparisons.sweep', 'domains.pace', 'counts.refresh'] as const) {
    await enqueueJob(database, name, {}, { key: name });
  }
  const runner = await startJobRunner(database, handlers, RECURRING_JOBS, log, { report: attempted });
  scope.defer(() => runner.stop());
  startSiteSweep({ ...options, writeSite, reportJob: attempted });
  const common = { ...options, readCount, reportJob: attempted };
  startDomainChecks({ ...common, ...life, diagnose });
  await startCertificates({ ...common, authorities, changeSite });
  startWebhooks({ ...common, ask });
  const openSink = startSubmission({ ...common, ask, changeSite });
  startPageHosts({ ...common, ask });
  startChanges({ ...common, openSink, onCounted: recordPageHosts });
}
