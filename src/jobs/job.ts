/** The names and payloads of all jobs. `compose/job-handlers.ts` has the handlers. */
export interface Jobs {
  /** Does what migrations have left for later. */
  'schema.backfill': Record<string, never>;
  /** Writes a site. Processes of older versions enqueue it; now `site_changes` has a row instead. */
  'site.publish': { hostname: string };
  /** Puts comparisons into their queue that processes of an older version have left out. */
  'comparisons.sweep': Record<string, never>;
  /** Deletes objects that nothing refers to any more. */
  'garbage.collect': Record<string, never>;
  /** Counts for metrics what is to be counted again. */
  'counts.refresh': Record<string, never>;
  /** Deletes uploads that a guard held, two days later. */
  'held.expire': Record<string, never>;
  /** Rewrites the parts of the host directory that differ from the database. */
  'hosts.write': Record<string, never>;
  /** Brings the certificate of a domain one step further. */
  'certificate.issue': { domainId: string };
  /** Enqueues `certificate.issue` for all certificates that are due. */
  'certificates.sweep': Record<string, never>;
  /** Sets who gets a first certificate first. */
  'certificates.prioritize': Record<string, never>;
  /** Seals keys with the first key of CERTIFICATE_KEYS. */
  'certificates.seal': Record<string, never>;
  /** Nothing. Processes of older versions enqueue it; now the checks have a queue of their own. */
  'domains.recheck': Record<string, never>;
  /** Sets the pace of the checks of DNS records by the number of domains. */
  'domains.pace': Record<string, never>;
  /** Verifies domains whose DNS records have become right. */
  'domains.verify': Record<string, never>;
  /** Brings the counts of answers to crawlers from the store into the database. */
  'crawls.import': Record<string, never>;
  /** Deletes counts that are older than 400 days. */
  'crawls.expire': Record<string, never>;
  /** Deletes events that are older than 30 days. */
  'events.expire': Record<string, never>;
  /** Records attempts to upload whose process died, and deletes those beyond the ones that are kept. */
  'attempts.expire': Record<string, never>;
  /** Deletes old answers to requests with an Idempotency-Key. */
  'claims.expire': Record<string, never>;
  /** Deletes sessions and sign-in links that are over. */
  'sessions.expire': Record<string, never>;
  /** Deletes old counts of rate limits. */
  'limits.expire': Record<string, never>;
  /** Deletes what is older than 400 days from the audit log. */
  'audit.expire': Record<string, never>;
  /** Deletes domains that were never verified. */
  'domains.expire': Record<string, never>;
}
export type JobName = keyof Jobs;

/** `since`: when this job, or the first of the jobs that it replaced, was enqueued. */
export type JobHandlers<Name extends JobName = JobName> = {
  [N in Name]: (payload: Jobs[N], since: Date) => Promise<void>;
};

/** A job without payload that is done again and again, by whichever process. */
export interface RecurringJob {
  readonly name: JobName;
  /** From the end of one to the beginning of the next, roughly. */
  readonly everyMs: number;
}
