/** What the service answers. New members may appear at any time. Times are ISO 8601 in UTC. */
import type { UploadForm } from './upload/form.ts';

export interface Domain {
  readonly id: string;
  readonly hostname: string;
  readonly status: 'pending_verification' | 'verified' | 'active' | 'failed';
  readonly sslStatus: 'pending' | 'provisioning' | 'active' | 'failed';
  /** Where the CNAME record must point. */
  readonly cnameTarget: string;
  /** Absent in the answer to `createDomain`, like the next two. */
  readonly urlCount?: number;
  readonly sitemapCount?: number;
  readonly lastUpdated?: string | null;
  readonly createdAt: string;
  /** For people; only in the answer to `createDomain`: the hostname seems to have a website. */
  readonly warnings?: readonly string[];
}

export interface DnsRecord {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

/** What the last check of the records found. */
export interface DnsState {
  readonly wanted: DnsRecord;
  /** For a name that cannot have a CNAME record. */
  readonly alternative: DnsRecord;
  readonly found: readonly DnsRecord[];
  /** Whether a proxy shows its addresses in place of the CNAME record. */
  readonly proxied: boolean;
  /** What is wrong, and the cure. */
  readonly problem: string | null;
  readonly checkedAt: string | null;
  /** Null unless the domain is served. */
  readonly nextCheckAt: string | null;
}

export interface Guard {
  /** An upload that removes more percent of the URLs of a sitemap is held. Null: off. */
  readonly maxRemovedPercent: number | null;
}

export interface DomainDetails extends Domain {
  readonly dns: DnsState;
  readonly certificate: {
    readonly issuer: string | null;
    readonly notBefore: string | null;
    readonly notAfter: string | null;
    readonly renewAt: string | null;
    readonly lastError: string | null;
    readonly nextAttemptAt: string | null;
  } | null;
  /** Whether its changed URLs are submitted. */
  readonly indexNow: { readonly enabled: boolean };
  readonly guard: Guard;
  /** When it is deleted, unless it is verified by then. */
  readonly pendingUntil: string | null;
  /** Why it failed. */
  readonly message?: string;
}

/** The state after the check. It may still be unverified: read `status`. */
export interface Verification extends Pick<Domain, 'id' | 'hostname' | 'status' | 'sslStatus'> {
  readonly verifiedAt?: string;
  /** Which record was found, and which one is needed. */
  readonly message: string;
}

export interface Sitemap {
  /** `default` for the unnamed sitemap. */
  readonly name: string;
  /** The one that is live. */
  readonly generation: number;
  readonly urlCount: number;
  readonly files: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly lastUpdated: string;
  readonly sitemapUrl: string;
  readonly indexUrl?: string;
}

/** A published upload, or with `dryRun` the upload that would be published. */
export interface Upload {
  readonly uploadId: string;
  readonly domain: string;
  readonly sitemapName?: string;
  readonly urlCount: number;
  readonly filesGenerated: number;
  readonly sitemapUrl: string;
  readonly indexUrl?: string;
  /** Whether crawlers can fetch it now. */
  readonly served: boolean;
  readonly servedNote?: string;
  /** The number of the sitemap's generation that it became; absent for a dry run. */
  readonly generation?: number;
  /** Entries that were left out; with `onInvalid: 'skip'` or `dryRun`. */
  readonly rejected?: number;
  readonly rejectsUrl?: string;
  readonly dryRun?: boolean;
  readonly warnings?: readonly string[];
}

/** A fault in the input. Forms with lines have `line` (from 1) and `index` of the record (from 0). */
export interface Violation {
  readonly line?: number;
  readonly index?: number;
  readonly field: string;
  readonly value: unknown;
  readonly message: string;
}

export type Outcome = 'running' | 'published' | 'refused' | 'held' | 'failed' | 'abandoned' | 'dry_run';

/** An upload in the history of a domain, whatever became of it. */
export interface UploadAttempt {
  readonly id: string;
  readonly domain: string;
  /** `default` for the unnamed sitemap; null if the name never came. */
  readonly sitemapName: string | null;
  readonly outcome: Outcome;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly durationMs: number;
  readonly form: UploadForm;
  readonly encoding: string | null;
  readonly bytesReceived: number;
  readonly urlCount: number;
  readonly filesGenerated: number;
  readonly rejected: number;
  readonly generation: number | null;
  readonly code: string | null;
  readonly message: string | null;
  /** Up to 100. */
  readonly errors: readonly Violation[];
  readonly errorCount: number;
  readonly userAgent: string | null;
  /** Null for an upload by a person. */
  readonly keyId: string | null;
  /** The person who sent it in the dashboard. */
  readonly userId: string | null;
}

export interface Generation {
  readonly generation: number;
  readonly kind: 'upload' | 'rollback';
  readonly uploadId: string;
  readonly urlCount: number;
  readonly filesGenerated: number;
  readonly gzipBytes: number;
  readonly publishedAt: string;
  readonly live: boolean;
  /** The generation that a rollback brought back. */
  readonly restores: number | null;
  readonly canRollBack: boolean;
}
