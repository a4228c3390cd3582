/**
 * The types of the answers of `/dashboard/api`, shared by server and browser. The customer's API stands
 * below this path too, with the types of `client/src/answers.ts`. Times are ISO 8601 in UTC; days are as in
 * 2026-01-15, in UTC.
 */
import type { Role } from '../../features/accounts/role.ts';
import type { ShownNeed } from '../../features/needs/shown-need.ts';
import type { Topic } from '../../features/webhooks/mail/topics.ts';

export type { Role, Topic };

/** The answer of `GET sign-in`, which needs no session. */
export interface SignInOptions {
  readonly providers: readonly { readonly id: string; readonly name: string }[];
}

/**
 * The `problem` in `/dashboard/sign-in?problem=…` or, after linking, in the address of the page that began to link:
 *
 * | problem | meaning |
 * |---|---|
 * | expired | more than ten minutes at the provider |
 * | other-browser | the sign-in began in another browser, or this browser began two at once |
 * | provider-down | the provider is out of reach, or answers with faults |
 * | refused | the person, or the provider, said no |
 * | email-domain | no verified e-mail address of an allowed domain |
 * | failed | anything else |
 * | invitation | the invitation was used or revoked, or it is too old |
 * | other-invitation | the cookie has no invitation, or another one than the sign-in began with |
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

/** The answer of `GET session`. */
export interface SessionState {
  readonly user: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly account: AccountChoice;
  /** All accounts of the user, the current one too. */
  readonly accounts: readonly AccountChoice[];
  readonly identities: readonly Identity[];
  readonly plan: string;
  /** Whether an operator has suspended the account: then only the settings of the person work. */
  readonly suspended: boolean;
  readonly expiresAt: string;
  /** The origin of the API in the commands for people and pipelines, as in https://api.example.net. */
  readonly apiOrigin: string;
  /** Whether the operator has set up the submission of changed URLs. */
  readonly submitsUrls: boolean;
  readonly help: Help;
}

/** Links of the operator that help people, and the version. A link is absent if the operator has not set it. */
export interface Help {
  readonly docsUrl?: string | undefined;
  readonly statusUrl?: string | undefined;
  /** A URL, or an e-mail address. */
  readonly contact?: string | undefined;
  readonly version: string;
}

export interface AccountChoice {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** The answer of `PATCH /dashboard/api/account`. */
export type NamedAccount = Pick<AccountChoice, 'id' | 'name'>;

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** The name of the provider; null if the provider is no longer configured. */
  readonly providerName: string | null;
  readonly email: string | null;
  readonly lastSignInAt: string;
}

/** A session in `GET sessions`, which lists the user's sessions, newest first. */
export interface OpenSession {
  readonly id: string;
  readonly current: boolean;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly userAgent: string | null;
  readonly address: string | null;
}

/**
 * The answer of `POST /auth/invitation {token}`. The next sign-in of the browser makes the person a member. `POST invitation/accept
 * {token}`, for a person with a session, answers `AccountChoice` and switches the session to that account.
 */
export interface Invitation {
  readonly id: string;
  readonly accountName: string;
  readonly role: Role;
  readonly expiresAt: string;
}

/** The answer of `GET overview`. */
export interface Overview {
  readonly urlCount: number;
  /** The number of URLs at the end of the day seven days ago, in UTC. Null if that number is not known. */
  readonly urlsAWeekAgo: number | null;
  readonly fileCount: number;
  readonly domainCount: number;
  /** The number of domains that need people. */
  readonly needsYouCount: number;
  /** The number of active domains without a need. */
  readonly liveCount: number;
  readonly lastUpload: {
    readonly at: string;
    readonly hostname: string;
    readonly sitemapName: string;
    /** The name of the key or the person; null if the key or the person is gone. */
    readonly by: string | null;
  } | null;
  /**
   * The last visit of a crawler. In an account of many files, `at` and `file` are null, and `crawler` sent the most requests on that day
   * (UTC).
   */
  readonly lastCrawl: {
    readonly day: string;
    readonly crawler: string;
    readonly at: string | null;
    readonly file: string | null;
  } | null;
  readonly plan: { readonly name: string; readonly domains: number };
}

/**
 * A domain in `GET overview/domains?search=&filter=all|needsYou|live&order=urgency|name|urls|newest&limit=&cursor=`: in pages of at most
 * 100.
 */
export interface DomainRow {
  readonly id: string;
  readonly hostname: string;
  readonly status: 'pending_verification' | 'verified' | 'active' | 'failed';
  readonly sslStatus: 'pending' | 'provisioning' | 'active' | 'failed';
  /** Whether the last try to get or renew the certificate of the domain failed. */
  readonly isCertificateFailing: boolean;
  readonly urlCount: number;
  readonly lastUpdated: string | null;
  /** The time of the last visit of a crawler. Null without a visit, and for a domain of many files. */
  readonly lastCrawlAt: string | null;
  /** The day of the last visit, in UTC. */
  readonly lastCrawlDay: string | null;
  /** The most urgent need; null if there is none. */
  readonly need: ShownNeed | null;
}

/** The answer of `GET live`: uploads under way, and whether data has changed, for polling. */
export interface Live {
  readonly now: string;
  readonly running: readonly RunningUpload[];
  /** An opaque text that differs after any change of a domain, a sitemap or an upload of the account. */
  readonly version: string;
}

export interface RunningUpload {
  readonly id: string;
  readonly domainId: string;
  readonly hostname: string;
  /** The name of the sitemap, `default` for the unnamed one; null until it is known. */
  readonly sitemapName: string | null;
  readonly startedAt: string;
  readonly form: string;
  /** The bytes that have arrived, as sent: of the body, or of the objects of a load. */
  readonly bytesReceived: number;
  /** The `Content-Length`, or the length of the objects of a load. Null if it is not known. */
  readonly bytesTotal: number | null;
  readonly urlCount: number;
  readonly fileCount: number;
  readonly rejected: number;
}

/** A day in `GET uploads-per-day?days=30[&domain=<id>]`, which has every day of the span, oldest first. */
export interface UploadDay {
  readonly day: string;
  readonly published: number;
  /** Uploads with the content of the live generation. They published nothing. */
  readonly unchanged: number;
  /**
   * Uploads that published nothing for other reasons: refused, failed or abandoned. Dry runs, held and canceled uploads are not counted at
   * all.
   */
  readonly refused: number;
  readonly publishedUrls: number;
  readonly refusedUrls: number;
}

/** A day in `GET crawls-per-day?days=30[&domain=<id>]`, which has every day of the span, oldest first. */
export interface CrawlDay {
  readonly day: string;
  /** The number of requests by kind of crawler, without kinds that sent none. */
  readonly requests: Readonly<Record<string, number>>;
  /** The number of requests answered with an error, 4xx or 5xx. */
  readonly errors: number;
}

/**
 * The answer of `GET attempts/:token`: the outcome of an upload that a page sent. The customer's API lists all uploads.
 */
export interface AttemptOutcome {
  /** `unknown`: the upload never arrived, or it failed on our side, or it ended more than a day ago. */
  readonly state: 'running' | 'ended' | 'unknown';
  readonly status: number | null;
  /** The answer to the upload's request. */
  readonly answer: unknown;
}

/** A file in `GET domains/:id/sitemaps/:name/files?cursor=`: the files of the live generation, in order, in pages of 1,000. */
export interface SitemapFile {
  readonly n: number;
  readonly url: string;
  readonly urlCount: number;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly changedAt: string;
}

/** A URL in `GET domains/:id/sitemaps/:name/urls?file=<n>&search=`: the first 100 URLs of a file that contain the text. */
export interface SitemapUrl {
  readonly loc: string;
  readonly lastmod: string | null;
  readonly changefreq: string | null;
  readonly priority: string | null;
  readonly images: number;
  readonly alternates: number;
}

/**
 * An API key in `GET keys`: newest first, expired and revoked keys last. `POST keys {name, expiresAt?,
 * actions?, domain?, sitemaps?, fromRanges?, endsWithCreator?}` answers `CreatedKey`; docs/api.md has the meaning of a scope.
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
  /** The creator of the key. Null: the operator made it, or the creator is not known. */
  readonly creator: { readonly name: string; readonly isMember: boolean } | null;
  /** Whether the key is revoked when its creator leaves. */
  readonly endsWithCreator: boolean;
  /** The actions and limits of the key, in words. */
  readonly may: string;
}

export interface CreatedKey extends KeyRow {
  /** The full key, which only this answer shows. */
  readonly key: string;
}

/** The answer of `GET plan`. */
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
  /** The hostname of the domain that uses the most; null if `used` counts the whole account. */
  readonly of: string | null;
}

/** The answer of `GET`, `PUT` and `DELETE notifications`: which mails the person gets of the account. */
export interface Notifications {
  /** Whether the operator has set a mail server. */
  readonly isAvailable: boolean;
  /** The address to which mails go. Null: the person gets no mails. */
  readonly address: string | null;
  /** The e-mail address of the person's account here, as the provider gave it; null if there is none. */
  readonly suggestedAddress: string | null;
  /** Whether the person has followed the link that was sent to the address. Until then, no other mail is sent. */
  readonly isProven: boolean;
  readonly topics: readonly Topic[];
  /** Why no mail is sent any more, in words. Null: nothing is wrong. */
  readonly problem: string | null;
}

/** The answer of `GET members`. */
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
  /** The id by which the invitation is revoked. It is not the token. */
  readonly id: string;
  readonly role: Role;
  readonly note: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** The answer of `POST members/invitations {role, note?}`. */
export interface CreatedInvitation extends OpenInvitation {
  /** The link, which only this answer shows. */
  readonly link: string;
}

/** An event in `GET audit?limit=&cursor=&action=`: newest first, in pages of 50 by default. */
export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly actor: { readonly kind: 'user' | 'key' | 'operator'; readonly name: string };
  readonly address: string | null;
}
