/** What each job does. Only this file knows both the jobs and the features, so no feature imports another. */
import { deleteOldAuditEvents } from '../accounts/audit-store.ts';
import { deleteOldCounts } from '../accounts/rate-limit-store.ts';
import { deleteOldSessions } from '../accounts/session-store.ts';
import { sweepComparisons } from '../changes/due-comparison-store.ts';
import { deleteOldCrawls } from '../crawls/crawl-store.ts';
import { type ImportCrawlsOptions, importCrawls } from '../crawls/import-crawls.ts';
import { setCheckPace } from '../domains/check-store.ts';
import { type DeleteDomainOptions, deleteExpiredDomains } from '../domains/delete-domain.ts';
import type { VerifyDomainOptions } from '../domains/verify-domain.ts';
import { verifyPending } from '../domains/verify-pending.ts';
import { deleteOldClaims } from '../idempotency/claim-store.ts';
import type { JobHandlers } from '../jobs/job.ts';
import { refreshCounts } from '../operations/counts.ts';
import { type RunBackfillsOptions, runBackfills } from '../schema/run-backfills.ts';
import { type CollectGarbageOptions, collectGarbage } from '../sites/collect-garbage.ts';
import { type WriteHostsOptions, writeAllHosts } from '../sites/write-hosts.ts';
import { deleteOldAttempts, recordLostAttempts } from '../uploads/attempt-store.ts';
import { deleteOldHeldUploads } from '../uploads/held-upload-store.ts';
import { deleteOldEvents } from '../webhooks/delivery-store.ts';
import { createCounters } from './counters.ts';

export interface JobHandlersOptions
  extends CollectGarbageOptions,
    WriteHostsOptions,
    VerifyDomainOptions,
    DeleteDomainOptions,
    RunBackfillsOptions {
  readonly storage: CollectGarbageOptions['storage'] & WriteHostsOptions['storage'];
  readonly reportCrawls: ImportCrawlsOptions['report'];
  /** `changedAt`: when the change was enqueued (`since` in `jobs/job.ts`). */
  readonly writeSite: (hostname: string, changedAt: Date) => Promise<unknown>;
}

/** They have a runner of their own (start-certificates.ts). */
type CertificateJob =
  | 'certificate.issue'
  | 'certificates.sweep'
  | 'certificates.prioritize'
  | 'certificates.seal';

export function createJobHandlers(options: JobHandlersOptions): Omit<JobHandlers, CertificateJob> {
  return {
    'schema.backfill': () => runBackfills(options),
    'site.publish': async ({ hostname }, since) => void (await options.writeSite(hostname, since)),
    'comparisons.sweep': () => sweepComparisons(options.database),
    'garbage.collect': () => collectGarbage(options),
    'counts.refresh': () => refreshCounts(options.database, createCounters(options.database), options.log),
    'held.expire': () => deleteOldHeldUploads(options.database),
    'hosts.write': async () => void (await writeAllHosts(options)),
    // Processes of older versions enqueue it. Now every jobs process works off a queue (start-domain-checks.ts).
    'domains.recheck': async () => {},
    'domains.pace': () => setCheckPace(options.database),
    'domains.verify': () => verifyPending(options),
    'domains.expire': () => deleteExpiredDomains(options),
    'claims.expire': () => deleteOldClaims(options.database),
    'sessions.expire': () => deleteOldSessions(options.database),
    'limits.expire': () => deleteOldCounts(options.database),
    'crawls.import': () => importCrawls({ ...options, report: options.reportCrawls }),
    'crawls.expire': () => deleteOldCrawls(options.database),
    'events.expire': () => deleteOldEvents(options.database),
    'audit.expire': () => deleteOldAuditEvents(options.database),
    'attempts.expire': async () => {
      await recordLostAttempts(options.database);
      await deleteOldAttempts(options.database);
    },
  };
}
