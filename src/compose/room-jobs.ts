/** The jobs of all rooms except those of certificates, which have a runner of their own. */
import type { JobName, JobWorks } from '../core/jobs/job.ts';
import { mendTimes } from '../core/schema/mend-times.ts';
import { type RunBackfillsOptions, runBackfills } from '../core/schema/run-backfills.ts';
import { deleteOldAuditEvents } from '../features/accounts/audit-store.ts';
import type { Plans } from '../features/accounts/plans.ts';
import { deleteOldCounts } from '../features/accounts/rate-limit-store.ts';
import { deleteOldSessions } from '../features/accounts/session-store.ts';
import type { CertificateJob } from '../features/certificates/open-certificates.ts';
import { sweepComparisons } from '../features/changes/due-comparison-store.ts';
import { sealConnectionsAnew } from '../features/connections/connection-seal.ts';
import { deleteOldCrawls } from '../features/crawls/crawl-store.ts';
import { type ImportCrawlsOptions, importCrawls } from '../features/crawls/import-crawls.ts';
import { oneOfAllAtATime, workOnExamination } from '../features/doctor/ask-examination.ts';
import { setCheckPace } from '../features/domains/check-store.ts';
import { type DeleteDomainOptions, deleteExpiredDomains } from '../features/domains/delete-domain.ts';
import type { VerifyDomainOptions } from '../features/domains/verify-domain.ts';
import { verifyPending } from '../features/domains/verify-pending.ts';
import { deleteOldClaims } from '../features/idempotency/claim-store.ts';
import { sendDigests } from '../features/needs/incidents/send-digests.ts';
import { tellIncidents } from '../features/needs/incidents/tell-incidents.ts';
import type { Sites } from '../features/sites/open-sites.ts';
import { workOnRebuild } from '../features/sites/rebuild-all.ts';
import { deleteOldAttempts, recordLostAttempts } from '../features/uploads/attempt-store.ts';
import { judgeFreshness } from '../features/uploads/freshness/expect-uploads.ts';
import { expireHeldUploads } from '../features/uploads/held-upload-store.ts';
import { deleteOldLoads } from '../features/uploads/loads/load-store.ts';
import { replanSchedules } from '../features/uploads/schedules/replan-schedules.ts';
import { sweepSessions } from '../features/uploads/sessions/end-sessions.ts';
import { recordHosted } from '../features/usage/hosted-store.ts';
import { addUpUsage, deleteOldUsage } from '../features/usage/usage-store.ts';
import { deleteOldEvents } from '../features/webhooks/delivery-store.ts';
import { refreshCounts } from '../operations/counts.ts';
import type { KeyRing } from '../platform/key-ring.ts';
import type { ObjectStorage } from '../platform/storage/object-storage.ts';
import { createCounters } from './counters.ts';

const MINUTE_MS = 60_000;
const TEN_MINUTES_MS = 10 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;

export interface RoomJobsOptions extends VerifyDomainOptions, DeleteDomainOptions, RunBackfillsOptions {
  readonly storage: ObjectStorage;
  readonly sites: Sites;
  /** Runs an examination of the doctor on connections of its own (`start-jobs.ts`). */
  readonly patiently: Parameters<typeof workOnExamination>[1];
  readonly garbage: Parameters<Sites['collectGarbage']>[0];
  readonly plans: Plans;
  readonly reportCrawls: ImportCrawlsOptions['report'];
  /** The keys that seal certificates and connections; undefined if the configuration has none. */
  readonly keys: KeyRing | undefined;
}

export function createRoomJobs(options: RoomJobsOptions): JobWorks<Exclude<JobName, CertificateJob>> {
  const { database, sites, log, keys } = options;
  const expireAttempts = async () => {
    await recordLostAttempts(database);
    await deleteOldAttempts(database);
  };
  const examine = oneOfAllAtATime(database, (id) => workOnExamination(options, options.patiently, id));
  return {
    'schema.backfill': { everyMs: MINUTE_MS, work: () => runBackfills(options) },
    'site.publish': { work: ({ hostname }, since) => sites.write(hostname, since) },
    'comparisons.sweep': { everyMs: MINUTE_MS, work: () => sweepComparisons(database) },
    'garbage.collect': { everyMs: TEN_MINUTES_MS, work: () => sites.collectGarbage(options.garbage) },
    'counts.refresh': {
      everyMs: 15_000,
      work: () => refreshCounts(database, createCounters(database, options.keys), log),
    },
    'doctor.examine': { work: ({ id }) => examine(id) },
    'sites.rebuild': { work: ({ id }) => workOnRebuild({ database, log, rebuild: sites.rebuild }, id) },
    'held.expire': { everyMs: HOUR_MS, work: () => expireHeldUploads(database) },
    'hosts.write': { everyMs: HOUR_MS, work: async () => void (await sites.writeHosts()) },
    // Processes of older versions enqueue this job. Now every jobs process works off a queue (`features/domains/recheck-domains.ts`).
    'domains.recheck': { work: async () => {} },
    'connections.seal': {
      everyMs: 5 * MINUTE_MS,
      work: async () => void (keys && (await sealConnectionsAnew(database, keys, log))),
    },
    'domains.pace': { everyMs: TEN_MINUTES_MS, work: () => setCheckPace(database) },
    // A sweep has to end before the next one begins: see MAX_MS of `verify-pending.ts`.
    'domains.verify': { everyMs: 10_000, work: () => verifyPending(options) },
    'domains.expire': { everyMs: HOUR_MS, work: () => deleteExpiredDomains(options) },
    'crawls.import': {
      everyMs: MINUTE_MS,
      work: () => importCrawls({ ...options, report: options.reportCrawls }),
    },
    'crawls.expire': { everyMs: HOUR_MS, work: () => deleteOldCrawls(database) },
    'usage.sum': {
      everyMs: MINUTE_MS,
      async work() {
        await addUpUsage(database);
        await recordHosted(database);
      },
    },
    'usage.expire': { everyMs: HOUR_MS, work: () => deleteOldUsage(database) },
    'events.expire': { everyMs: HOUR_MS, work: () => deleteOldEvents(database) },
    'audit.expire': { everyMs: HOUR_MS, work: () => deleteOldAuditEvents(database) },
    'attempts.expire': { everyMs: TEN_MINUTES_MS, work: expireAttempts },
    'claims.expire': { everyMs: TEN_MINUTES_MS, work: () => deleteOldClaims(database) },
    'sessions.expire': { everyMs: TEN_MINUTES_MS, work: () => deleteOldSessions(database) },
    // People hear of a late upload within five minutes: see also the pauses of `record-look.ts`.
    'sitemaps.freshness': { everyMs: 30_000, work: () => judgeFreshness(database) },
    'schedules.replan': { everyMs: 30_000, work: () => replanSchedules(database) },
    'needs.tell': { everyMs: 30_000, work: () => tellIncidents(database, log) },
    'needs.digest': { everyMs: TEN_MINUTES_MS, work: () => sendDigests(database, options.plans, log) },
    'times.mend': { everyMs: 30_000, work: () => mendTimes(database) },
    'uploads.loads': { everyMs: TEN_MINUTES_MS, work: () => deleteOldLoads(database) },
    'uploads.sessions': { everyMs: TEN_MINUTES_MS, work: () => sweepSessions(database) },
    'limits.expire': { everyMs: TEN_MINUTES_MS, work: () => deleteOldCounts(database) },
  };
}
