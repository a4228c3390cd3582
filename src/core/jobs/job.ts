/** The names and payloads of all jobs. `compose/room-jobs.ts` connects them to their work. */
export interface Jobs {
  /** Does the work that migrations have left for later. */
  'schema.backfill': Record<string, never>;
  /** Writes a site. Processes of older versions enqueue this job. Newer ones insert a row into `site_changes` instead. */
  'site.publish': { hostname: string };
  /** Enqueues comparisons that processes of an older version did not enqueue. */
  'comparisons.sweep': Record<string, never>;
  /** Deletes stored objects that no site refers to any more. */
  'garbage.collect': Record<string, never>;
  /** Refreshes the counts for metrics. */
  'counts.refresh': Record<string, never>;
  /** Examines database and store, as an operator has asked by the API. */
  'doctor.examine': { id: string };
  /** Writes the next sites again, as an operator has asked by the API. */
  'sites.rebuild': { id: string };
  /** Deletes the rows of uploads that the guard of a domain held more than two days ago. */
  'held.expire': Record<string, never>;
  /** Rewrites the parts of the host directory that differ from the database. */
  'hosts.write': Record<string, never>;
  /** Brings the certificate of a domain one step further. */
  'certificate.issue': { domainId: string };
  /** Enqueues `certificate.issue` for all certificates that are due. */
  'certificates.sweep': Record<string, never>;
  /** Sets the order in which domains get their first certificates. */
  'certificates.prioritize': Record<string, never>;
  /** Issues and renews the certificate of the API's own hostname. */
  'certificates.own': Record<string, never>;
  /** Seals the private keys of certificates with the first key of CERTIFICATE_KEYS. */
  'certificates.seal': Record<string, never>;
  /** Orders new certificates in place of those whose private keys are lost with a key of CERTIFICATE_KEYS, as an operator has asked. */
  'certificates.replace': { keyId: string };
  /** Seals the keys of connections with the first key of CERTIFICATE_KEYS. */
  'connections.seal': Record<string, never>;
  /** Does nothing. Processes of older versions enqueue this job. In newer ones, the checks have a queue of their own. */
  'domains.recheck': Record<string, never>;
  /** Sets the pace of the checks of DNS records by the number of domains. */
  'domains.pace': Record<string, never>;
  /** Verifies domains whose DNS records have become right. */
  'domains.verify': Record<string, never>;
  /** Brings the counts of answers to crawlers from the store into the database. */
  'crawls.import': Record<string, never>;
  /** Deletes counts of crawls that are older than 400 days, and errors by file that are older than 30 days. */
  'crawls.expire': Record<string, never>;
  /** Adds up the usage of accounts, and records the hosted URLs and bytes of each day. */
  'usage.sum': Record<string, never>;
  /** Deletes usage that is older than 400 days. */
  'usage.expire': Record<string, never>;
  /** Deletes events of webhooks that are older than 30 days, and older events of accounts whose events take too many bytes. */
  'events.expire': Record<string, never>;
  /** Records upload attempts whose process died, and deletes attempts beyond the kept number. */
  'attempts.expire': Record<string, never>;
  /** Deletes old answers to requests with an Idempotency-Key. */
  'claims.expire': Record<string, never>;
  /** Deletes sessions and sign-in links that are over. */
  'sessions.expire': Record<string, never>;
  /** Mends times that the clock of the database wrote while it was ahead. */
  'times.mend': Record<string, never>;
  /** Deletes the lists of loads that have ended, and loads that ended more than 90 days ago. */
  'uploads.loads': Record<string, never>;
  /** Tells people of new needs, and of needs that are over. */
  'needs.tell': Record<string, never>;
  /** Sends weekly digests. */
  'needs.digest': Record<string, never>;
  /** Plans again the schedules whose next time a wrong clock has set. */
  'schedules.replan': Record<string, never>;
  /** Marks sitemaps as stale when their upload is late, and as fresh again. */
  'sitemaps.freshness': Record<string, never>;
  /** Ends upload sessions whose time is over, and deletes the remains of ended ones. */
  'uploads.sessions': Record<string, never>;
  /** Deletes old counts of rate limits. */
  'limits.expire': Record<string, never>;
  /** Deletes events of the audit log that are older than 400 days, and all but the newest million events of each account. */
  'audit.expire': Record<string, never>;
  /** Deletes domains that were not verified within 30 days. */
  'domains.expire': Record<string, never>;
}
export type JobName = keyof Jobs;

interface JobWork<Name extends JobName> {
  /** The rough time from the end of a recurring job to the beginning of the next one. A recurring job has no payload. */
  readonly everyMs?: number;
  /** Does the work. `since`: the time when this job, or the first of the jobs that it replaced, was enqueued. */
  readonly work: (payload: Jobs[Name], since: Date) => Promise<void>;
}

export type JobWorks<Name extends JobName = JobName> = { readonly [N in Name]: JobWork<N> };
