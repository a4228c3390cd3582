/**
 * What happened, as receivers of webhooks read it. The shapes are a contract: members are added, never changed. Times are as
 * in 2026-01-15T10:00:00Z.
 */
export interface EventData {
  'upload.published': UploadOutcome & {
    readonly uploadId: string;
    /** The number of the sitemap's generation that is live now. */
    readonly generation: number;
    /** A rollback brought back a former generation. */
    readonly kind: 'upload' | 'rollback';
    readonly urlCount: number;
    readonly fileCount: number;
    readonly sitemapUrl: string;
    readonly publishedAt: string;
  };
  /** An upload for a known domain was refused, and nothing has changed. */
  'upload.refused': DomainEvent & {
    /** `default` for the unnamed one; null if it was not known yet. */
    readonly sitemapName: string | null;
    readonly uploadId: string;
    /** As in the error of the answer; `details` in short. */
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>> | null;
  };
  /** The guard of the domain refused to publish an upload. It can be published until `heldUntil`. */
  'upload.held': UploadOutcome & {
    readonly uploadId: string;
    readonly urlCount: number;
    readonly formerUrlCount: number;
    readonly removed: number;
    /** Of the former URLs. */
    readonly percent: number;
    readonly heldUntil: string;
  };
  'domain.verified': DomainEvent;
  'domain.active': DomainEvent;
  'domain.failed': DomainEvent & { readonly message: string };
  'certificate.failed': DomainEvent & {
    readonly message: string;
    /** Null when nothing more is tried. */
    readonly nextAttemptAt: string | null;
  };
  /** All changed URLs of an upload have been submitted. */
  'indexnow.completed': UploadOutcome & {
    readonly uploadId: string;
    readonly urlsSubmitted: number;
    /** Single URLs that search engines do not take. */
    readonly urlsRefused: number;
  };
  'indexnow.failed': DomainEvent & {
    /** Whose URLs were not submitted. Null: of several hosts, for which there was no room. */
    readonly host: string | null;
    readonly urlCount: number;
    readonly message: string;
  };
  /** Its owner asked for it. */
  'webhook.test': { readonly webhookId: string };
}

interface DomainEvent {
  readonly domainId: string;
  /** The hostname. */
  readonly domain: string;
}

interface UploadOutcome extends DomainEvent {
  /** `default` for the unnamed one. */
  readonly sitemapName: string;
}

/** Those that an endpoint can choose. */
export type EventType = Exclude<keyof EventData, 'webhook.test'>;

export const EVENT_TYPES = [
  'upload.published',
  'upload.refused',
  'upload.held',
  'domain.verified',
  'domain.active',
  'domain.failed',
  'certificate.failed',
  'indexnow.completed',
  'indexnow.failed',
] as const satisfies readonly EventType[];
