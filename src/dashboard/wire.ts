/**
 * What `/dashboard/api` answers: types that server and browser share, without code. The customer's API stands
 * below it too, with the types of `client/src/answers.ts`. Times are ISO 8601 in UTC; days are as in
 * 2026-01-15, in UTC.
 */

import type { Role } from '../accounts/role.ts';

export type { Role };

/** `GET sign-in`: needs no session. */
export interface SignInOptions {
  readonly providers: readonly { readonly id: string; readonly name: string }[];
}

/**
 * In `/dashboard/sign-in?problem=…`, and after linking in the page that it began on:
 *
 * | expired | more than ten minutes at the provider |
 * | other-browser | begun in another browser, or two at once in this one |
 * | provider-down | the provider is out of reach, or answers with faults |
 * | refused | the person, or the provider, said no |
 * | email-domain | no verified e-mail address of an allowed domain |
 * | failed | anything else |
 * | invitation | the invitation was used or revoked, or it is too old |
 * | too-many | too many attempts from this address; a minute later it works |
 * | stale | linking: the provider did not ask for the password just now |
 * | linked-elsewhere | linking: the identity belongs to another user |
 * | signed-out | linking: the session has ended |
 */
export type SignInProblem =
  | 'expired'
  | 'other-browser'
  | 'provider-down'
  | 'refused'
  | 'email-domain'
  | 'failed'
  | 'invitation'
  | 'other-invitation'
  | 'too-many'
  | 'stale'
  | 'linked-elsewhere'
  | 'signed-out';

/** `GET session`. */
export interface SessionState {
  readonly user: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly account: AccountChoice;
  /** All accounts of the user, this one too. */
  readonly accounts: readonly AccountChoice[];
  readonly identities: readonly Identity[];
  readonly plan: string;
  /** Whether an operator has suspended the account: then only the settings of the person work. */
  readonly suspended: boolean;
  readonly expiresAt: string;
  /** Addresses for people and pipelines, as in https://api.example.net. */
  readonly apiOrigin: string;
}

export interface AccountChoice {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Of the provider; null if it is no longer configured. */
  readonly providerName: string | null;
  readonly email: string | null;
  readonly lastSignInAt: string;
}

/** `GET sessions`: of the user, newest first. */
export interface OpenSession {
  readonly id: string;
  readonly current: boolean;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly userAgent: string | null;
  readonly address: string | null;
}

/**
 * `POST /auth/invitation {token}`: the sign-in that follows makes a member. `POST invitation/accept {token}`,
 * for somebody who is signed in, answers `AccountChoice` and switches the session to it.
 */
export interface Invitation {
  readonly id: string;
  readonly accountName: string;
  readonly role: Role;
  readonly expiresAt: string;
}

/** `GET overview`. */
export interface Overview {
  readonly urlCount: number;
  readonly fileCount: number;
  readonly domainCount: number;
  /** Not active, so somebody has to do something, or a certificate is under way. */
  readonly domainsToFinish: number;
  readonly plan: { readonly name: string; readonly domains: number };
}

/**
 * `GET overview/domains?search=&cursor=`: a page of at most 100, those that want something first, then newest
 * first.
 */
export interface DomainRow {
  readonly id: string;
  readonly hostname: string;
  readonly status: 'pending_verification' | 'verified' | 'active' | 'failed';
  readonly sslStatus: 'pending' | 'provisioning' | 'active' | 'failed';
  readonly urlCount: number;
  readonly fileCount: number;
  readonly lastUpdated: string | null;
  /** What is wrong, with the cure; null if nothing is. */
  readonly wanted: string | null;
}

/** `GET live`: what moves, for polling. */
export interface Live {
  readonly now: string;
  readonly running: readonly RunningUpload[];
  /** Changes whenever a domain, a sitemap or an upload of the account has changed. Opaque. */
  readonly version: string;
}

export interface RunningUpload {
  readonly id: string;
  readonly domainId: string;
  readonly hostname: string;
  /** `default` for the unnamed one; null while it is not known. */
  readonly sitemapName: string | null;
  readonly startedAt: string;
  readonly form: string;
  /** As sent. */
  readonly bytesReceived: number;
  /** Content-Length; null if the client did not say. */
  readonly bytesTotal: number | null;
  readonly urlCount: number;
  readonly fileCount: number;
  readonly rejected: number;
}

/** `GET uploads-per-day?days=30[&domain=<id>]`: every day of the span, oldest first. */
export interface UploadDay {
  readonly day: string;
  readonly published: number;
  /** All that published nothing: refused, held, failed or abandoned. Dry runs are in none of both. */
  readonly refused: number;
  readonly publishedUrls: number;
  readonly refusedUrls: number;
}

/** `GET crawls-per-day?days=30[&domain=<id>]`: every day of the span, oldest first. */
export interface CrawlDay {
  readonly day: string;
  /** Requests by kind of crawler; kinds without any are absent. */
  readonly requests: Readonly<Record<string, number>>;
  /** Of all requests: those answered with an error, 4xx or 5xx. */
  readonly errors: number;
}

/**
 * `GET domains/:id/uploads` is the customer's. `GET attempts/:token`: what became of an upload of this page.
 */
export interface AttemptOutcome {
  /** `unknown`: it never came here, or it is more than a day ago. */
  readonly state: 'running' | 'ended' | 'unknown';
  readonly status: number | null;
  /** The answer, as its request would have got it. */
  readonly answer: unknown;
}

/** `GET domains/:id/sitemaps/:name/files?cursor=`: of the live generation, in their order, pages of 1,000. */
export interface SitemapFile {
  readonly n: number;
  readonly url: string;
  readonly urlCount: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly changedAt: string;
}

/** `GET domains/:id/sitemaps/:name/urls?file=<n>&search=`: the first 100 of a file that contain the text. */
export interface SitemapUrl {
  readonly loc: string;
  readonly lastmod: string | null;
  readonly changefreq: string | null;
  readonly priority: string | null;
  readonly images: number;
  readonly alternates: number;
}

/** `GET domains/:id/sitemaps/:name/changes`: what the live upload changed. */
export interface SitemapChanges {
  /** `first`: there was no upload before. `unknown`: the former one is gone. */
  readonly state: 'pending' | 'compared' | 'first' | 'unknown';
  /** Null unless compared, like the next two. */
  readonly added: number | null;
  readonly changed: number | null;
  readonly removed: number | null;
  readonly comparedAt: string | null;
  /** Up to 100 URLs of each kind. */
  readonly samples: Readonly<Record<'added' | 'changed' | 'removed', readonly string[]>>;
}

/** `GET domains/:id/indexnow`. */
export interface Submission {
  readonly enabled: boolean;
  /** Whether the operator has said where URLs are submitted. */
  readonly endpointConfigured: boolean;
  readonly hosts: readonly SubmissionHost[];
}

/** `POST domains/:id/indexnow/verify {host}` answers one, too. */
export interface SubmissionHost {
  readonly host: string;
  readonly key: string;
  /** The address at which the host has to have the key. */
  readonly keyFile: string;
  readonly verified: boolean;
  readonly problem: string | null;
  readonly queued: number;
  readonly sentToday: number;
  readonly lastSubmittedAt: string | null;
  readonly pausedUntil: string | null;
}

/** `GET domains/:id/page-hosts`: at most 100, those with the most URLs first. */
export interface PageHostRow {
  readonly origin: string;
  readonly host: string;
  readonly urlCount: number;
  readonly state: 'unchecked' | 'found' | 'partly' | 'missing' | 'disallowed' | 'unreachable';
  readonly message: string | null;
  /** For its robots.txt; null for the hostname of the domain, which needs none. */
  readonly line: string | null;
  readonly robotsUrl: string;
  readonly checkedAt: string | null;
  readonly nextCheckAt: string;
}

/**
 * `GET keys`: newest first, those of no more use last. `POST keys {name, expiresAt?}` answers `CreatedKey`.
 */
export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string | null;
  readonly state: 'valid' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** Null: the operator made it, or nobody knows. */
  readonly creator: { readonly name: string; readonly isMember: boolean } | null;
}

export interface CreatedKey extends KeyRow {
  /** In full, this once. */
  readonly key: string;
}

/** `GET plan`. */
export interface PlanUsage {
  readonly name: string;
  readonly meters: readonly Meter[];
}

export interface Meter {
  readonly name:
    | 'domains'
    | 'urlsPerUpload'
    | 'requestsPerMinute'
    | 'storedBytes'
    | 'sitemapsPerDomain'
    | 'uploadsAtOnce';
  readonly used: number;
  readonly limit: number;
  /** Of what `used` is the most, as a hostname; null for the account. */
  readonly of: string | null;
}

/** `GET members`. */
export interface Members {
  readonly members: readonly Member[];
  readonly invitations: readonly OpenInvitation[];
}

export interface Member {
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly joinedAt: string;
  readonly lastSeenAt: string | null;
  readonly you: boolean;
}

export interface OpenInvitation {
  /** Names it for revoking. It is not the token. */
  readonly id: string;
  readonly role: Role;
  readonly note: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** `POST members/invitations {role, note?}`. */
export interface CreatedInvitation extends OpenInvitation {
  /** The link, this once. */
  readonly link: string;
}

/** `GET audit?cursor=&action=`: newest first, pages of 50. */
export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly actor: { readonly kind: 'user' | 'key' | 'operator'; readonly name: string };
  readonly address: string | null;
}
