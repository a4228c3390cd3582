/**
 * What the API answers, by its description: `npx vitest run test/api/openapi --update` writes this file. New members may
 * appear at any time.
 */
export interface CheckedHostname {
  /** As the request has it. */
  readonly given: string;
  /** In lower case and A-labels; null if it is `invalid`. */
  readonly hostname: string | null;
  /** The hostname as people write it. */
  readonly unicode: string | null;
  /** `website`: it seems to have a website, which changed records would take away. `taken`: another account has verified it. */
  readonly state: 'free' | 'website' | 'yours' | 'taken' | 'invalid';
  /** For people. */
  readonly message: string | null;
  /** With `website`: a name of its own for sitemaps. */
  readonly suggestion: string | null;
  /** Where a website seems to be. */
  readonly addresses: readonly string[];
}

export interface RegisteredDomain {
  readonly id: string;
  /** In lower case and A-labels. */
  readonly hostname: string;
  /** It is served while it is `verified` or `active`. */
  readonly status: 'pending_verification' | 'verified' | 'active' | 'failed';
  readonly sslStatus: 'pending' | 'provisioning' | 'active' | 'failed';
  /** Where the CNAME record must point. */
  readonly cnameTarget: string;
  /** In UTC, with whole seconds. */
  readonly createdAt: string;
  /** For people: the hostname seems to have a website, which changed DNS records would take away. */
  readonly warnings?: readonly string[];
}

export interface Domain {
  readonly id: string;
  /** In lower case and A-labels. */
  readonly hostname: string;
  /** It is served while it is `verified` or `active`. */
  readonly status: 'pending_verification' | 'verified' | 'active' | 'failed';
  readonly sslStatus: 'pending' | 'provisioning' | 'active' | 'failed';
  /** Where the CNAME record must point. */
  readonly cnameTarget: string;
  /** In UTC, with whole seconds. */
  readonly createdAt: string;
  /** URLs of all its sitemaps. */
  readonly urlCount: number;
  /** Files of all its sitemaps, without indexes. */
  readonly sitemapCount: number;
  /** Of its last upload. */
  readonly lastUpdated: string | null;
}

export interface DomainDetails {
  readonly id: string;
  /** In lower case and A-labels. */
  readonly hostname: string;
  /** It is served while it is `verified` or `active`. */
  readonly status: 'pending_verification' | 'verified' | 'active' | 'failed';
  readonly sslStatus: 'pending' | 'provisioning' | 'active' | 'failed';
  /** Where the CNAME record must point. */
  readonly cnameTarget: string;
  /** In UTC, with whole seconds. */
  readonly createdAt: string;
  /** URLs of all its sitemaps. */
  readonly urlCount: number;
  /** Files of all its sitemaps, without indexes. */
  readonly sitemapCount: number;
  /** Of its last upload. */
  readonly lastUpdated: string | null;
  /** The hostname as people write it. */
  readonly unicode: string;
  /** Whether the hostname may have a website. Null: not known. `PATCH` with false if it has none. */
  readonly website: boolean | null;
  readonly dns: DnsState;
  readonly certificate: Certificate | null;
  readonly indexNow: {
    /** Whether its changed URLs are submitted. */
    readonly enabled: boolean;
  };
  readonly guard: {
    /** An upload that removes more URLs of a sitemap than this is held. Null: none is. */
    readonly maxRemovedPercent: number | null;
  };
  /** Where uploads put their entries: `stable` leaves each in the file that it is in, `order` follows the list. */
  readonly placement: 'stable' | 'order';
  readonly recent: Recent;
  /** The name of the person or key. Null: it is not known, or gone. */
  readonly addedBy: string | null;
  /** URLs of all its sitemaps seven days ago. */
  readonly urlsAWeekAgo: number;
  /** When it is deleted, unless it is verified by then. */
  readonly pendingUntil: string | null;
  /** For people: why it failed; only with `status` `failed`. */
  readonly message?: string;
}

export interface DnsState {
  /** The CNAME record to make. */
  readonly wanted: DnsRecord;
  /** The TXT record for a name that cannot have a CNAME record. */
  readonly alternative: DnsRecord;
  /** The records of the last check. */
  readonly found: readonly DnsRecord[];
  /** Whether a proxy shows its addresses in place of the CNAME record. */
  readonly proxied: boolean;
  /** For people: what is wrong, and the cure. */
  readonly problem: string | null;
  /** What the last check means. `website`: the hostname may have a website, so leave its records alone. */
  readonly state:
    | 'valid'
    | 'not_found'
    | 'wrong_target'
    | 'other_account'
    | 'domain_added'
    | 'name_added'
    | 'proxied'
    | 'wildcard'
    | 'website'
    | 'wrong_address'
    | 'text_missing'
    | 'no_answer'
    | 'unchecked'
    | 'in_use'
    | 'blocked';
  /** For people: `state` in a sentence, with the cure. */
  readonly message: string | null;
  /** With `website`: a name of its own for sitemaps. */
  readonly suggestion: string | null;
  /** The zone that has the records. */
  readonly zone: string;
  /** Who answers for the zone, if we know its name servers. */
  readonly provider: {
    readonly name: string;
    /** Where its customers edit their records. */
    readonly url: string;
  } | null;
  /** The records to have. Empty below `localhost`. */
  readonly records: readonly DnsAdvice[];
  /** Those for a name that cannot have a CNAME record. Empty before the first check. */
  readonly alternativeRecords: readonly DnsAdvice[];
  readonly checkedAt: string | null;
  /** Null if none is planned. */
  readonly nextCheckAt: string | null;
}

export interface DnsRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

export interface DnsAdvice {
  readonly type: 'CNAME' | 'TXT' | 'A' | 'AAAA' | 'CAA';
  /** As the form of a DNS provider takes it: without the zone, and `@` for the zone. */
  readonly name: string;
  readonly value: string;
  readonly found: readonly DnsRecord[];
  readonly state:
    | 'valid'
    | 'not_found'
    | 'wrong_target'
    | 'other_account'
    | 'domain_added'
    | 'name_added'
    | 'proxied'
    | 'wildcard'
    | 'website'
    | 'wrong_address'
    | 'text_missing'
    | 'no_answer'
    | 'unchecked'
    | 'in_use'
    | 'blocked';
  /** For people: the cure. */
  readonly message: string | null;
  /** What the cure needs in place of `value`. */
  readonly copy: string | null;
}

export interface Certificate {
  readonly issuer: string | null;
  /** From when it is valid. */
  readonly notBefore: string | null;
  /** When it expires. */
  readonly notAfter: string | null;
  readonly renewAt: string | null;
  /** For people: why the last attempt to get a new one failed. */
  readonly lastError: string | null;
  readonly nextAttemptAt: string | null;
}

export interface Recent {
  /** Whether the domain has a sitemap of recent changes. */
  readonly enabled: boolean;
  /** How long a change stays in it. */
  readonly hours: number;
  /** URLs of `/sitemap-recent.xml`, which does not exist while it has none. */
  readonly urlCount: number;
  /** When it was last written. */
  readonly updatedAt: string | null;
  /** Sitemaps with changes in this time that are missing, and why: the first 100. */
  readonly leftOut: readonly {
    readonly sitemapName: string;
    readonly reason: 'first' | 'unknown' | 'xml-version' | 'many-changes' | 'limit';
  }[];
}

export interface Verification {
  readonly id: string;
  /** In lower case and A-labels. */
  readonly hostname: string;
  /** It is served while it is `verified` or `active`. */
  readonly status: 'pending_verification' | 'verified' | 'active' | 'failed';
  readonly sslStatus: 'pending' | 'provisioning' | 'active' | 'failed';
  /** Absent until it is verified. */
  readonly verifiedAt?: string;
  /** For people: which record was found, and which one is needed. */
  readonly message: string;
}

export interface Upload {
  /** The hostname. */
  readonly domain: string;
  /** Absent for the unnamed sitemap. */
  readonly sitemapName?: string;
  readonly uploadId: string;
  /** Of the sitemap; absent for a dry run. */
  readonly generation?: number;
  /** Nothing was published. */
  readonly dryRun?: true;
  /** The live generation has the same entries, in any order. Nothing was published; `generation` is the live one. */
  readonly unchanged?: true;
  /** Entries of this upload. */
  readonly urlCount: number;
  /** Files with URLs; indexes are not counted. */
  readonly filesGenerated: number;
  /** Files that differ from the former ones of the same numbers. */
  readonly filesChanged: number;
  /** Where the entries went; absent if there was nothing to place: the sitemap is new or has one file, or nothing changed. */
  readonly placement?: 'stable' | 'order';
  /** Why they follow the list, although `stable` was wanted. */
  readonly placementReason?:
    | 'size-limit'
    | 'xml-version'
    | 'many-changes'
    | 'sparse'
    | 'limits'
    | 'overtaken'
    | 'unreadable'
    | 'forced'
    | 'held';
  /** Entries that were rejected. */
  readonly rejected?: number;
  /** A path with the rejected entries, if there are any. */
  readonly rejectsUrl?: string;
  /** Address of the sitemap, for search engines. */
  readonly sitemapUrl: string;
  /** Address of the index of the domain; with several files, or a name. */
  readonly indexUrl?: string;
  /** Whether crawlers can fetch it now. */
  readonly served?: boolean;
  /** Why it is not served, and what to do. */
  readonly servedNote?: string;
  readonly indexNow?: {
    readonly status: 'pending' | 'skipped' | 'success' | 'failed';
    readonly urlsSubmitted: number;
  };
  /** What the body was read as; absent if there is nothing to tell. */
  readonly dialect?: Dialect;
  /** For people: what was ignored, left out or completed, and page hosts that do not name your sitemaps. */
  readonly warnings?: readonly string[];
  readonly searchPing?: {
    readonly status: 'skipped' | 'success' | 'failed';
    /** In UTC, with whole seconds. */
    readonly pingedAt: string;
  };
}

export interface Dialect {
  /** Between the cells of CSV. */
  readonly delimiter?: 'comma' | 'semicolon' | 'tab' | 'pipe' | 'ctrl-a';
  /** Unless it is UTF-8. */
  readonly charset?: string;
  /** The columns that were read, and as which member of an entry; the first 50. */
  readonly columns?: readonly {
    readonly member: string;
    readonly name: string;
  }[];
  /** The names of the first 10 ignored columns. */
  readonly ignored?: readonly string[];
  readonly ignoredCount?: number;
  /** Records that `where` left out. */
  readonly filtered?: number;
  readonly dates?: string;
  readonly timezone?: string;
  /** Times that got their zone from `timezone`. */
  readonly zoned?: number;
}

export interface Preview {
  readonly form: 'json' | 'ndjson' | 'csv' | 'text' | 'xml' | 'parquet';
  /** As in the answer of an upload. */
  readonly dialect?: Dialect;
  /** The names in the header of CSV, or of the columns of Parquet. */
  readonly header?: readonly string[];
  /** The first 20 entries, as they would be published. An invalid one is shown as it was read. */
  readonly rows: readonly {
    readonly line?: number;
    readonly entry: unknown;
    readonly violations: readonly Violation[];
  }[];
  /** The members of a JSON document before its entries, and behind them as far as it was read. */
  readonly document?: {
    readonly domain?: unknown;
    readonly sitemapName?: unknown;
    readonly sizeLimit?: unknown;
    readonly pingSearch?: unknown;
    readonly expectedUrlCount?: unknown;
    readonly onInvalid?: unknown;
    readonly maxRejected?: unknown;
    readonly maxRejectedPercent?: unknown;
    readonly placement?: unknown;
    readonly dryRun?: unknown;
    readonly force?: unknown;
    readonly ifGeneration?: unknown;
  };
  /** The columns of CSV, also if it cannot be read yet, or the members of JSON objects without `loc`. */
  readonly table?: {
    /** Of CSV, also if it is only likely. */
    readonly delimiter?: 'comma' | 'semicolon' | 'tab' | 'pipe' | 'ctrl-a';
    readonly columns: readonly {
      /** In the header. Without a header the position, from 1. */
      readonly name: string;
      /** The first ones that are not empty. */
      readonly values: readonly string[];
      /** What it seems to be, as in `loc`. Several columns may seem to be `loc`. */
      readonly member?: string;
    }[];
  };
  /** Why an upload would be refused, apart from invalid entries. */
  readonly refusal?: {
    readonly code: string;
    readonly field?: string;
    readonly message: string;
  };
  /** Parameters that may be missing. They are guesses. */
  readonly suggestions: {
    readonly columns?: string;
    readonly header?: string;
    readonly delimiter?: string;
    readonly escape?: string;
    readonly quote?: string;
    readonly charset?: string;
    readonly decimal?: string;
    readonly dates?: string;
    readonly timezone?: string;
  };
  /** As in the answer of an upload. */
  readonly warnings: readonly string[];
}

export interface Violation {
  /** Of the body; only for forms with lines. */
  readonly line?: number;
  /** Of the entry, from 0; only for forms with lines. */
  readonly index?: number;
  /** The field that breaks a rule, as in `urls[7].loc`. */
  readonly field: string;
  /** What was sent there, shortened to 256 characters; null if nothing was. */
  readonly value: unknown;
  /** The rule, for people. */
  readonly message: string;
}

export interface AppliedDelta {
  /** The hostname. */
  readonly domain: string;
  /** Absent for the unnamed sitemap. */
  readonly sitemapName?: string;
  readonly deltaId: string;
  /** Of the sitemap; absent for a dry run. */
  readonly generation?: number;
  /** Nothing was published. */
  readonly dryRun?: true;
  /** URLs that the sitemap did not have. */
  readonly added: number;
  /** URLs with another entry than before. */
  readonly changed: number;
  /** URLs whose entry was the same before. */
  readonly unchanged: number;
  /** URLs that were removed. */
  readonly removed: number;
  /** URLs to remove that the sitemap did not have. */
  readonly missing: number;
  /** Entries of the sitemap now. */
  readonly urlCount: number;
  /** Files with URLs; indexes are not counted. */
  readonly filesGenerated: number;
  /** Files that differ from those of the generation before. Deltas that came at once are one generation. */
  readonly filesChanged: number;
  /** Address of the sitemap, for search engines. */
  readonly sitemapUrl: string;
  /** Address of the index of the domain; with several files, or a name. */
  readonly indexUrl?: string;
  /** Whether crawlers can fetch it now. */
  readonly served?: boolean;
  /** Why it is not served, and what to do. */
  readonly servedNote?: string;
  readonly indexNow?: {
    readonly status: 'pending' | 'skipped' | 'success' | 'failed';
    readonly urlsSubmitted: number;
  };
}

export interface UploadSession {
  readonly id: string;
  /** `open` takes parts. `held`: the guard of the domain stopped the commit. */
  readonly status: 'open' | 'committing' | 'committed' | 'held' | 'aborted' | 'expired';
  /** The hostname. */
  readonly domain: string;
  /** Absent for the unnamed sitemap. */
  readonly sitemapName?: string;
  /** The upload that the commit publishes. */
  readonly uploadId: string;
  /** In UTC, with whole seconds. */
  readonly createdAt: string;
  /** Each part puts it off. Absent once the session has ended. */
  readonly expiresAt?: string;
  /** The highest number of a part. */
  readonly maxParts: number;
  /** Parts so far. */
  readonly parts: number;
  /** Entries of all parts so far. */
  readonly urlCount: number;
  /** Of their files, compressed. */
  readonly bytes: number;
  /** Of a committed session. */
  readonly generation?: number;
}

export interface ReceivedPart {
  /** The number of the part. */
  readonly part: number;
  /** Of its files. The commit names it. Parts with the same entries in the same form have the same. */
  readonly digest: string;
  /** Entries of the part. */
  readonly urlCount: number;
  /** Entries that were rejected. */
  readonly rejected: number;
  /** Of its files, compressed. */
  readonly bytes: number;
  /** A path with the rejected entries, if there are any. */
  readonly rejectsUrl?: string;
  /** What the body was read as; absent if there is nothing to tell. */
  readonly dialect?: Dialect;
  /** For people: what was ignored, left out or completed. */
  readonly warnings?: readonly string[];
}

export interface SessionPart {
  /** The number of the part. */
  readonly part: number;
  /** Of its files. The commit names it. Parts with the same entries in the same form have the same. */
  readonly digest: string;
  /** Entries of the part. */
  readonly urlCount: number;
  /** Entries that were rejected. */
  readonly rejected: number;
  /** Of its files, compressed. */
  readonly bytes: number;
}

export interface AskedLoad {
  /** The upload that the load becomes. */
  readonly uploadId: string;
  readonly status: 'queued';
  /** A path. It shows the progress, and at last the outcome. */
  readonly statusUrl: string;
}

export interface CanceledLoad {
  readonly uploadId: string;
  readonly status: 'canceled';
}

export interface UploadAttempt {
  readonly id: string;
  /** The hostname. */
  readonly domain: string;
  /** `default` for the unnamed sitemap; null if it never came. */
  readonly sitemapName: string | null;
  readonly outcome:
    | 'running'
    | 'published'
    | 'unchanged'
    | 'refused'
    | 'held'
    | 'failed'
    | 'abandoned'
    | 'dry_run'
    | 'canceled';
  /** In UTC, with whole seconds. */
  readonly startedAt: string;
  /** Null while it is running. */
  readonly endedAt: string | null;
  readonly durationMs: number;
  readonly form: 'json' | 'ndjson' | 'csv' | 'text' | 'xml' | 'parquet';
  /** As it was sent, as in `gzip`. Null: none. */
  readonly encoding: string | null;
  readonly bytesReceived: number;
  readonly urlCount: number;
  readonly filesGenerated: number;
  /** Entries that were rejected. */
  readonly rejected: number;
  /** The generation that it made, or found unchanged. Null for other outcomes. */
  readonly generation: number | null;
  /** Of the error; null unless it is refused or held. */
  readonly code: string | null;
  /** Of the error, for people. */
  readonly message: string | null;
  /** The first violations, as in the error. */
  readonly errors: readonly Violation[];
  readonly errorCount: number;
  /** The violations by field and message, as in the error. */
  readonly kinds: readonly ViolationKind[];
  /** What the body was read as. Null while it is running, and if there is nothing to tell. */
  readonly dialect: Dialect | null;
  /** Null unless it is a load. */
  readonly load: LoadProgress | null;
  readonly userAgent: string | null;
  /** Null for an upload of the dashboard. */
  readonly keyId: string | null;
  /** The person who sent it in the dashboard. */
  readonly userId: string | null;
}

export interface ViolationKind {
  /** As in a violation, without the positions of entries and list members. */
  readonly field: string;
  readonly message: string;
  readonly count: number;
  /** Of the first one; only for forms with lines. */
  readonly line?: number;
  /** The position of the entry with the first one, from 0. */
  readonly index: number;
  /** The value of the first one. */
  readonly value: unknown;
  /** Parameters of the upload: under each of these sets all of them are valid. Of several, only a person can choose. `timezone` is UTC if times lack a zone: replace it by the zone of their clock. */
  readonly cures: readonly {
    readonly dates?: string;
    readonly timezone?: string;
  }[];
}

export interface LoadProgress {
  /** Whether a schedule asked for it. */
  readonly scheduled: boolean;
  readonly objects: {
    /** Null until the sources are listed. It may grow: an index may list others. */
    readonly total: number | null;
    readonly done: number;
    /** Left out by `onMissing`. */
    readonly skipped: number;
  };
  readonly bytes: {
    /** As sent. Null if the length of an object is not known. */
    readonly total: number | null;
    readonly done: number;
  };
  /** The address of an object that is being read. */
  readonly current: string | null;
  readonly retries: number;
  /** When an object is tried again, if one waits for that. */
  readonly nextTryAt: string | null;
  /** For people: what was ignored, left out or completed, with the first object of which it is true. The first 20. */
  readonly warnings?: readonly string[];
}

export interface BucketConnection {
  readonly name: string;
  readonly kind: 's3';
  /** The address of the store. */
  readonly endpoint: string;
  readonly region: string;
  /** The buckets that it may read. */
  readonly buckets: readonly string[];
  /** In UTC, with whole seconds. */
  readonly changedAt: string;
  /** False: the service can no longer open its keys. Set the connection again. */
  readonly usable: boolean;
}

export interface TriedConnection {
  readonly buckets: readonly {
    readonly bucket: string;
    /** Why it cannot be listed, for people. Null: it can. */
    readonly problem: string | null;
  }[];
}

export interface Schedule {
  /** `default` for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly cron: string | null;
  readonly timezone: string;
  /** The times, for people. Null without any. */
  readonly words: string | null;
  readonly enabled: boolean;
  /** What it loads, without members that are left to their defaults. Queries of addresses are shown as `?…`. */
  readonly load: {
    readonly sources: readonly string[];
  };
  /** Whether it has a hook. */
  readonly hook: boolean;
  /** The next times. A run begins within a minute after its time, always as long after it. */
  readonly nextRuns: readonly string[];
  /** Whether a run was asked for that has not begun. */
  readonly asked: boolean;
  /** Whether a run waits until another load of your account ends. */
  readonly waiting: boolean;
  /** The load under way. */
  readonly uploadId: string | null;
  /** Runs in a row that failed. */
  readonly failures: number;
  readonly failingSince: string | null;
  /** In UTC, with whole seconds. */
  readonly createdAt: string;
  /** The last 20, the newest first. */
  readonly runs: readonly ScheduleRun[];
}

export interface ScheduleRun {
  /** Why it ran. */
  readonly cause: 'time' | 'hook' | 'person';
  /** The time that it stands for. Null if it was asked for. */
  readonly plannedAt: string | null;
  /** In UTC, with whole seconds. */
  readonly beganAt: string;
  /** Null while it is under way. */
  readonly endedAt: string | null;
  /** As of an upload. Null while it is under way. `skipped`: the load before it was still under way. */
  readonly outcome: 'published' | 'unchanged' | 'refused' | 'held' | 'failed' | 'canceled' | 'skipped' | null;
  /** Its upload. Null if it did not come to a load. */
  readonly uploadId: string | null;
  /** Of the error. */
  readonly code: string | null;
  /** Of the error, for people. */
  readonly message: string | null;
}

export interface AskedRun {
  readonly status: 'queued';
}

export interface ScheduleHook {
  /** Of its address. It is a secret. */
  readonly path: string;
}

export interface ScheduleSummary {
  /** `default` for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly cron: string | null;
  readonly timezone: string;
  /** The times, for people. Null without any. */
  readonly words: string | null;
  readonly enabled: boolean;
  /** What it loads, without members that are left to their defaults. Queries of addresses are shown as `?…`. */
  readonly load: {
    readonly sources: readonly string[];
  };
  /** Whether it has a hook. */
  readonly hook: boolean;
  /** The next times. A run begins within a minute after its time, always as long after it. */
  readonly nextRuns: readonly string[];
  /** Whether a run was asked for that has not begun. */
  readonly asked: boolean;
  /** Whether a run waits until another load of your account ends. */
  readonly waiting: boolean;
  /** The load under way. */
  readonly uploadId: string | null;
  /** Runs in a row that failed. */
  readonly failures: number;
  readonly failingSince: string | null;
  /** In UTC, with whole seconds. */
  readonly createdAt: string;
}

export interface SchedulePreview {
  readonly words: string;
  readonly nextRuns: readonly string[];
}

export interface Sitemap {
  /** `default` for the unnamed sitemap. */
  readonly name: string;
  /** The one that is live. */
  readonly generation: number;
  readonly urlCount: number;
  /** Its files, without the index. */
  readonly files: number;
  /** Length of their XML. */
  readonly bytes: number;
  /** Their stored length, which counts for the plan. */
  readonly gzipBytes: number;
  /** In UTC, with whole seconds. */
  readonly lastUpdated: string;
  readonly sitemapUrl: string;
  readonly indexUrl?: string;
  /** How often an upload is expected. Null: it is not. */
  readonly expectEveryHours: number | null;
  /** When the next upload is due, or was due. */
  readonly freshUntil: string | null;
  /** When the upload was due that is missing. Null: none is. */
  readonly staleSince: string | null;
}

export interface SitemapChanges {
  readonly uploadId: string;
  /** The upload that it was compared with. */
  readonly formerUploadId: string | null;
  readonly state: 'pending' | 'compared' | 'first' | 'unknown' | 'rewritten';
  /** Null unless `compared`, like the next two. */
  readonly added: number | null;
  readonly changed: number | null;
  readonly removed: number | null;
  readonly comparedAt: string | null;
  readonly samples: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  /** With `from`: what changed in up to 100 changed entries. Empty if over 100,000 URLs changed. */
  readonly details?: readonly {
    readonly loc: string;
    /** The fields that differ. Images, videos and news are told by their number, alternates by their languages. */
    readonly from: {
      readonly lastmod?: string;
      readonly changefreq?: string;
      readonly priority?: string;
      readonly images?: string;
      readonly alternates?: string;
      readonly videos?: string;
      readonly news?: string;
    };
    /** The fields that differ. Images, videos and news are told by their number, alternates by their languages. */
    readonly to: {
      readonly lastmod?: string;
      readonly changefreq?: string;
      readonly priority?: string;
      readonly images?: string;
      readonly alternates?: string;
      readonly videos?: string;
      readonly news?: string;
    };
  }[];
}

export interface FoundUrl {
  /** As it stands in sitemaps: with percent-encoding and an ASCII host. */
  readonly url: string;
  readonly found: boolean;
  /** One for each file that has the URL. */
  readonly places: readonly {
    readonly domainId: string;
    /** The hostname. */
    readonly domain: string;
    /** `default` for the unnamed sitemap. */
    readonly sitemapName: string;
    /** The one that is live. */
    readonly generation: number;
    readonly file: {
      /** Its number in the sitemap, from 1. */
      readonly n: number;
      /** Its public address. */
      readonly url: string;
      /** When it last changed. */
      readonly lastmod: string;
    };
    /** The `<url>` element as it is published. */
    readonly entry: string;
    /** The generation that added it; null if the lists of changes that are kept do not say it. With these, uploads that were replaced soon are skipped. */
    readonly added: {
      readonly generation: number;
      /** In UTC, with whole seconds. */
      readonly publishedAt: string;
      /** The name of the key or the person; null if it is not known. */
      readonly by: string | null;
      /** How many other URLs it treated alike. */
      readonly others: number;
    } | null;
    /** The generation that changed its entry last; null if none is known. */
    readonly changed: {
      readonly generation: number;
      /** In UTC, with whole seconds. */
      readonly publishedAt: string;
      /** The name of the key or the person; null if it is not known. */
      readonly by: string | null;
      /** How many other URLs it treated alike. */
      readonly others: number;
    } | null;
    /** The earliest generation that is known to have it; null: only the live one. */
    readonly knownSince: number | null;
    /** The last visits of crawlers to the file, the latest first. Visits to the page are not seen. A kind is what a client says that it is. */
    readonly visits: readonly {
      readonly crawler: string;
      readonly status: number;
      /** In UTC, with whole seconds. */
      readonly lastVisitAt: string;
    }[];
  }[];
  /** Only if it is not found: URLs that differ a little, the nearest first. */
  readonly near: readonly {
    readonly loc: string;
    /** How it differs from `url`. */
    readonly differences: readonly ('scheme' | 'www' | 'trailingSlash' | 'letterCase' | 'percentEncoding')[];
    readonly domainId: string;
    /** The hostname. */
    readonly domain: string;
    /** `default` for the unnamed sitemap. */
    readonly sitemapName: string;
    /** The one that is live. */
    readonly generation: number;
    readonly file: {
      /** Its number in the sitemap, from 1. */
      readonly n: number;
      /** Its public address. */
      readonly url: string;
      /** When it last changed. */
      readonly lastmod: string;
    };
    /** The `<url>` element as it is published. */
    readonly entry: string;
  }[];
  /** Only if it is not found: its last removal, as far as the lists of changes that are kept say it. */
  readonly removed: {
    readonly domainId: string;
    readonly domain: string;
    readonly sitemapName: string;
    readonly generation: number;
    /** In UTC, with whole seconds. */
    readonly publishedAt: string;
    /** The name of the key or the person; null if it is not known. */
    readonly by: string | null;
    /** How many other URLs it treated alike. */
    readonly others: number;
    /** The last one that had it; null if it is no longer kept. */
    readonly formerGeneration: number | null;
  } | null;
  /** Only if it is not found: URLs of the same scheme and host in these sitemaps, as far as they are counted. */
  readonly originUrlCount: number | null;
  /** Whether there are more places, or more near URLs. */
  readonly hasMore: boolean;
  /** Whether all files were searched. If not, the URL may be in others: name a domain or a sitemap, or try again later. */
  readonly complete: boolean;
  /** Files that were not searched. */
  readonly filesLeft: number;
  /** How many of `filesLeft` are missing or damaged. A later try cannot search these. */
  readonly filesUnreadable: number;
  /** Sitemaps that were not searched. */
  readonly sitemapsLeft: number;
}

export interface FileVisit {
  /** The name of the file, as in `sitemap.xml`. `.xml.gz` counts as `.xml`. */
  readonly file: string;
  /** The public address of the file. */
  readonly url: string;
  /** The kind that the client claimed by its User-Agent. Anybody can claim any. */
  readonly crawler:
    | 'Googlebot'
    | 'Google, others'
    | 'Bingbot'
    | 'Yandex'
    | 'Baidu'
    | 'DuckDuckGo'
    | 'Applebot'
    | 'Seznam'
    | 'Naver'
    | 'OpenAI'
    | 'Anthropic'
    | 'Perplexity'
    | 'Meta'
    | 'Amazon'
    | 'Ahrefs'
    | 'Semrush'
    | 'Other bots'
    | 'Tools'
    | 'Browsers'
    | 'No User-Agent';
  /** The status of the last answer; 304 if the file was unchanged since the visit before. */
  readonly status: number;
  /** In UTC, with whole seconds. */
  readonly lastVisitAt: string;
  /** All visits of this kind that are counted. */
  readonly requests: number;
}

export interface FileError {
  /** In UTC. */
  readonly day: string;
  /** Null for all files that are not counted by name. */
  readonly file: string | null;
  readonly url: string | null;
  /** Whether the domain had no such file. */
  readonly missing: boolean;
  /** The kind that the client claimed by its User-Agent. Anybody can claim any. */
  readonly crawler:
    | 'Googlebot'
    | 'Google, others'
    | 'Bingbot'
    | 'Yandex'
    | 'Baidu'
    | 'DuckDuckGo'
    | 'Applebot'
    | 'Seznam'
    | 'Naver'
    | 'OpenAI'
    | 'Anthropic'
    | 'Perplexity'
    | 'Meta'
    | 'Amazon'
    | 'Ahrefs'
    | 'Semrush'
    | 'Other bots'
    | 'Tools'
    | 'Browsers'
    | 'No User-Agent';
  /** From 400. */
  readonly status: number;
  readonly requests: number;
  /** When the last of these answers was given. */
  readonly lastAt: string;
}

export interface Needs {
  /** The most urgent first. */
  readonly needs: readonly Need[];
  /** Of all needs, those beyond the first 100 too. */
  readonly total: number;
  /** Of all needs, for each kind that there is. */
  readonly counts: readonly {
    readonly kind:
      | 'heldUpload'
      | 'robotsUnreadable'
      | 'robotsBlocks'
      | 'robotsLineMissing'
      | 'dns'
      | 'hostnameTaken'
      | 'certificate'
      | 'uploadsRefused'
      | 'sitemapStale'
      | 'scheduleFailing'
      | 'planDomains'
      | 'planUrls'
      | 'planStorage';
    readonly count: number;
  }[];
}

export interface Need {
  /** The cause. A later version may have more. */
  readonly kind:
    | 'heldUpload'
    | 'robotsUnreadable'
    | 'robotsBlocks'
    | 'robotsLineMissing'
    | 'dns'
    | 'hostnameTaken'
    | 'certificate'
    | 'uploadsRefused'
    | 'sitemapStale'
    | 'scheduleFailing'
    | 'planDomains'
    | 'planUrls'
    | 'planStorage';
  /** Null: it is about the account. */
  readonly domain: {
    readonly id: string;
    readonly hostname: string;
  } | null;
  /** `default` for the unnamed one; null: it is about no single sitemap. */
  readonly sitemapName: string | null;
  /** The upload to look at. */
  readonly uploadId: string | null;
  /** For people: one sentence without a full stop. */
  readonly title: string;
  /** For people: the effect, or the cure. */
  readonly detail: string;
  /** For people: a few words. */
  readonly state: string;
  /** `bad`: something does not work. `waiting`: it still works, or nothing is lost yet. */
  readonly severity: 'bad' | 'waiting';
  /** Where it is mended. */
  readonly target: 'upload' | 'sitemap' | 'robots' | 'dns' | 'certificate' | 'plan';
  /** When it began; of refused uploads, the last one. */
  readonly since: string | null;
  /** When it gets worse: the upload is discarded, the domain removed, the certificate ends. */
  readonly deadline: string | null;
}

export interface Generation {
  readonly generation: number;
  readonly kind: 'upload' | 'rollback' | 'delta';
  readonly uploadId: string;
  readonly urlCount: number;
  readonly filesGenerated: number;
  readonly gzipBytes: number;
  /** In UTC, with whole seconds. */
  readonly publishedAt: string;
  readonly live: boolean;
  /** The generation that it brought back; null for an upload. */
  readonly restores: number | null;
  /** Whether its files are still kept. */
  readonly canRollBack: boolean;
  /** The name of the key or the person that uploaded it; null if it is not known. */
  readonly publishedBy: string | null;
}

export interface IndexNow {
  readonly enabled: boolean;
  /** Whether the operator has set up submissions. */
  readonly endpointConfigured: boolean;
  readonly hosts: readonly IndexNowHost[];
}

export interface IndexNowHost {
  /** A host of pages, with its port if that is not the usual one. */
  readonly host: string;
  readonly key: string;
  /** The address at which the host must have the key. */
  readonly keyFile: string;
  /** Whether the file was there. Nothing is submitted before. */
  readonly verified: boolean;
  /** For people: what was wrong with the file, or that search engines refuse the URLs, and the cure. */
  readonly problem: string | null;
  /** Changed URLs that wait. */
  readonly queued: number;
  /** URLs that were submitted on this day (UTC). */
  readonly sentToday: number;
  /** Of the last answer of the search engines. */
  readonly lastStatus: number | null;
  readonly lastSubmittedAt: string | null;
  /** Until then, nothing is submitted or checked. */
  readonly pausedUntil: string | null;
}

export interface PageHost {
  /** Scheme, host and port of the pages. */
  readonly origin: string;
  /** With the port if it is not the usual one. */
  readonly host: string;
  /** URLs of this origin in all sitemaps of the domain. */
  readonly urlCount: number;
  /** What its `robots.txt` means for crawlers. */
  readonly state: 'unchecked' | 'found' | 'partly' | 'missing' | 'disallowed' | 'unreachable';
  /** For people: what was found, and the cure. */
  readonly message: string | null;
  /** The line to paste into `robots.txt`; null if none is needed. */
  readonly line: string | null;
  readonly robotsUrl: string;
  readonly checkedAt: string | null;
  /** In UTC, with whole seconds. */
  readonly nextCheckAt: string;
}

export interface WebhookWithSecret {
  readonly id: string;
  /** Where events are sent. */
  readonly url: string;
  /** `json`: signed events, for programs. The others: a message for the people of a chat. */
  readonly format: 'json' | 'slack' | 'teams' | 'discord' | 'google-chat';
  readonly description: string;
  /** Null: all but `upload.unchanged`, `need.opened` and `need.closed`, also those that are added later. */
  readonly events:
    | readonly (
        | 'upload.published'
        | 'upload.unchanged'
        | 'upload.refused'
        | 'upload.held'
        | 'sitemap.stale'
        | 'sitemap.fresh'
        | 'load.failed'
        | 'load.recovered'
        | 'domain.verified'
        | 'domain.active'
        | 'domain.failed'
        | 'certificate.failed'
        | 'indexnow.completed'
        | 'indexnow.failed'
        | 'need.opened'
        | 'need.closed'
      )[]
    | null;
  readonly enabled: boolean;
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
  /** Until then the secrets before the last rotation sign too. */
  readonly formerSecretUntil: string | null;
  /** In UTC, with whole seconds. */
  readonly createdAt: string;
  /** It is not shown again. */
  readonly secret: string;
}

export interface Webhook {
  readonly id: string;
  /** Where events are sent. */
  readonly url: string;
  /** `json`: signed events, for programs. The others: a message for the people of a chat. */
  readonly format: 'json' | 'slack' | 'teams' | 'discord' | 'google-chat';
  readonly description: string;
  /** Null: all but `upload.unchanged`, `need.opened` and `need.closed`, also those that are added later. */
  readonly events:
    | readonly (
        | 'upload.published'
        | 'upload.unchanged'
        | 'upload.refused'
        | 'upload.held'
        | 'sitemap.stale'
        | 'sitemap.fresh'
        | 'load.failed'
        | 'load.recovered'
        | 'domain.verified'
        | 'domain.active'
        | 'domain.failed'
        | 'certificate.failed'
        | 'indexnow.completed'
        | 'indexnow.failed'
        | 'need.opened'
        | 'need.closed'
      )[]
    | null;
  readonly enabled: boolean;
  readonly disabledAt: string | null;
  readonly disabledReason: string | null;
  /** Until then the secrets before the last rotation sign too. */
  readonly formerSecretUntil: string | null;
  /** In UTC, with whole seconds. */
  readonly createdAt: string;
}

export interface Delivery {
  readonly eventId: string;
  readonly type:
    | 'upload.published'
    | 'upload.unchanged'
    | 'upload.refused'
    | 'upload.held'
    | 'sitemap.stale'
    | 'sitemap.fresh'
    | 'load.failed'
    | 'load.recovered'
    | 'domain.verified'
    | 'domain.active'
    | 'domain.failed'
    | 'certificate.failed'
    | 'indexnow.completed'
    | 'indexnow.failed'
    | 'need.opened'
    | 'need.closed'
    | 'webhook.test';
  /** `failed`: given up. */
  readonly status: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  /** Of the last answer; null without one. */
  readonly lastStatus: number | null;
  /** For people. */
  readonly lastError: string | null;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly deliveredAt: string | null;
  /** When it happened. */
  readonly createdAt: string;
}

export interface Usage {
  /** Each day, the first one first. */
  readonly days: readonly UsageDay[];
  /** The sums of all days. */
  readonly totals: {
    /** Requests of keys, and changes by people in the dashboard, within the limit of the plan. Those that were answered with 429 do not count. */
    readonly requests: number;
    /** URLs of uploads and deltas that were published, or proved to change nothing. */
    readonly acceptedUrls: number;
    /** Bytes of the bodies of uploads, deltas and parts that were taken, as they were sent: a compressed body counts compressed. */
    readonly receivedBytes: number;
    /** Requests for your sitemaps, of crawlers and all others. They count some two minutes later. */
    readonly servedRequests: number;
    /** Bytes of the bodies of the answers to these requests. */
    readonly servedBytes: number;
  };
}

export interface UsageDay {
  /** In UTC. */
  readonly day: string;
  /** Requests of keys, and changes by people in the dashboard, within the limit of the plan. Those that were answered with 429 do not count. */
  readonly requests: number;
  /** URLs of uploads and deltas that were published, or proved to change nothing. */
  readonly acceptedUrls: number;
  /** Bytes of the bodies of uploads, deltas and parts that were taken, as they were sent: a compressed body counts compressed. */
  readonly receivedBytes: number;
  /** Requests for your sitemaps, of crawlers and all others. They count some two minutes later. */
  readonly servedRequests: number;
  /** Bytes of the bodies of the answers to these requests. */
  readonly servedBytes: number;
  /** URLs in all of your sitemaps at the end of the day; now, for today. Null if it is not known. */
  readonly hostedUrls: number | null;
  /** Bytes of their files, compressed. */
  readonly hostedBytes: number | null;
}

export interface CalledHook {
  readonly status: 'queued' | 'paused';
}
