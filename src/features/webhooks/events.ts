/**
 * The events that receivers of webhooks, chats and mails get. The shapes are a contract: members are added, never changed. Times have the
 * form 2026-01-15T10:00:00Z.
 */
export interface EventData {
  'upload.published': UploadOutcome & {
    readonly uploadId: string;
    /** The number of the sitemap's generation that is live now. */
    readonly generation: number;
    /** The cause of the publication: an upload, a rollback to a former generation, or a delta. */
    readonly kind: 'upload' | 'rollback' | 'delta';
    readonly urlCount: number;
    readonly fileCount: number;
    /** The number of files that differ from the former files with the same numbers. */
    readonly filesChanged: number;
    /** The placement of the entries; absent if there was nothing to place. */
    readonly placement?: 'stable' | 'order';
    /** The reason why the entries follow the list, although `stable` was wanted. */
    readonly placementReason?: string;
    readonly sitemapUrl: string;
    readonly publishedAt: string;
  };
  /** An upload has the entries of the live upload, so it changed nothing. Only endpoints that choose this event get it. */
  'upload.unchanged': UploadOutcome & {
    readonly uploadId: string;
    /** The number of the live generation. */
    readonly generation: number;
    readonly urlCount: number;
  };
  /** An upload for a known domain was refused, and nothing has changed. */
  'upload.refused': DomainEvent & {
    /** The name of the sitemap: `default` for the unnamed one; null if the name was not known yet. */
    readonly sitemapName: string | null;
    readonly uploadId: string;
    /** The code of the error in the answer; `details` are shortened. */
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>> | null;
  };
  /** The guard of the domain refused to publish an upload. The upload can be published until `heldUntil`. */
  'upload.held': UploadOutcome & {
    readonly uploadId: string;
    readonly urlCount: number;
    readonly formerUrlCount: number;
    readonly removed: number;
    /** The removed URLs in percent of the former URLs. */
    readonly percent: number;
    readonly heldUntil: string;
  };
  /** The upload of a sitemap is late. */
  'sitemap.stale': UploadOutcome & {
    readonly expectEveryHours: number;
    /** The time when the upload was due. */
    readonly dueAt: string;
  };
  /** A sitemap whose upload was late has been uploaded. */
  'sitemap.fresh': UploadOutcome & {
    readonly expectEveryHours: number;
    /** The time when the missing upload was due. */
    readonly staleSince: string;
  };
  /** The first failed load of a schedule since its last success. */
  'load.failed': LoadOutcome & {
    readonly code: string | null;
    readonly message: string | null;
  };
  /** A load of a schedule has succeeded after `failures` failed loads in a row. */
  'load.recovered': LoadOutcome & { readonly failures: number };
  'domain.verified': DomainEvent;
  'domain.active': DomainEvent;
  'domain.failed': DomainEvent & { readonly message: string };
  'certificate.failed': DomainEvent & {
    readonly message: string;
    /** The time of the next attempt; null when no attempt follows. */
    readonly nextAttemptAt: string | null;
  };
  /** All changed URLs of an upload have been submitted, or were refused by search engines. None of them has failed. */
  'indexnow.completed': UploadOutcome & {
    readonly uploadId: string;
    readonly urlsSubmitted: number;
    /** The number of single URLs that search engines refuse. */
    readonly urlsRefused: number;
  };
  'indexnow.failed': DomainEvent & {
    /** The host whose URLs were not submitted; null: several hosts, for which there was no room. */
    readonly host: string | null;
    readonly urlCount: number;
    readonly message: string;
  };
  /** New needs of the account. Webhooks get this event only if they choose it. People who chose the topic get a mail. */
  'need.opened': NeedsEvent<NeedEntry & { readonly detail: string }>;
  /** Needs that `need.opened` reported are over. Webhooks get this event only if they choose it. People who chose the topic get a mail. */
  'need.closed': NeedsEvent<NeedEntry>;
  /** The week of an account, as a mail for people who chose it. */
  'digest.weekly': {
    readonly urlCount: number;
    readonly domainCount: number;
    /** The numbers of published and of refused uploads in the last seven days. */
    readonly published: number;
    readonly refused: number;
    /** The number of needs, and the titles of the first ten. */
    readonly needsCount: number;
    readonly needs: readonly string[];
  };
  /** The link that proves the address of an endpoint, as a mail. */
  'mail.proof': Readonly<Record<string, never>>;
  /** The owner of the endpoint asked for a test. */
  'webhook.test': { readonly webhookId: string };
}

/** Needs of one kind that began, or ended, at about the same time (docs/decisions/0063). */
interface NeedsEvent<Entry> {
  readonly kind: string;
  readonly count: number;
  /** The first 20 needs, or fewer if their texts are long. */
  readonly needs: readonly Entry[];
}

export interface NeedEntry extends DomainEvent {
  /** Null: the need concerns no single sitemap. */
  readonly sitemapName: string | null;
  /** The text for people: a sentence without its full stop. */
  readonly title: string;
}

interface DomainEvent {
  readonly domainId: string;
  /** The hostname of the domain. */
  readonly domain: string;
}

interface UploadOutcome extends DomainEvent {
  /** The name of the sitemap: `default` for the unnamed one. */
  readonly sitemapName: string;
}

interface LoadOutcome extends DomainEvent {
  /** The name of the sitemap: `default` for the unnamed one. */
  readonly sitemapName: string;
  /** Null if no load began. */
  readonly uploadId: string | null;
}

/** The event types that an endpoint can choose. */
export type EventType = Exclude<keyof EventData, 'webhook.test' | 'digest.weekly' | 'mail.proof'>;

export const EVENT_TYPES = [
  'upload.published',
  'upload.unchanged',
  'upload.refused',
  'upload.held',
  'sitemap.stale',
  'sitemap.fresh',
  'load.failed',
  'load.recovered',
  'domain.verified',
  'domain.active',
  'domain.failed',
  'certificate.failed',
  'indexnow.completed',
  'indexnow.failed',
  'need.opened',
  'need.closed',
] as const satisfies readonly EventType[];

/** The events that endpoints for all events do not get, because these events repeat others or tell nothing new. */
export const CHOSEN_EVENTS = [
  'upload.unchanged',
  'need.opened',
  'need.closed',
] as const satisfies readonly EventType[];
