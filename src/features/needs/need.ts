/**
 * A need is something that only the people of an account can mend. Of each kind there is at most one need for an account, for a domain, or
 * for a sitemap. A need ends when its cause is gone. The server words all needs, so that pages, clients and messages say the same.
 */

export const NEED_KINDS = [
  'heldUpload',
  'robotsUnreadable',
  'robotsBlocks',
  'robotsLineMissing',
  'dns',
  'hostnameTaken',
  'certificate',
  'uploadsRefused',
  'sitemapStale',
  'scheduleFailing',
  'planDomains',
  'planUrls',
  'planStorage',
] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

/** `bad`: something does not work. `waiting`: something will stop working, or work waits for a person. */
export const SEVERITIES = ['bad', 'waiting'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The place where the need is mended: an upload, a sitemap, a part of the domain, or the plan. */
export const TARGETS = ['upload', 'sitemap', 'robots', 'dns', 'certificate', 'plan'] as const;
export type Target = (typeof TARGETS)[number];

/** The words for people, without markup. Each is one line. */
export interface Words {
  /** A sentence without its full stop. */
  readonly title: string;
  readonly detail: string;
  /** A few words for the row of the domain. */
  readonly state: string;
}

export interface Need extends Words {
  readonly kind: NeedKind;
  /** Null: the need concerns the account. */
  readonly domain: { readonly id: string; readonly hostname: string } | null;
  /** Empty for the unnamed sitemap. Null: the need concerns no single sitemap. */
  readonly sitemapName: string | null;
  /** The upload to look at. */
  readonly uploadId: string | null;
  readonly severity: Severity;
  readonly target: Target;
  /**
   * The time when the need began. For refused uploads, the time of the last refusal; for robots.txt, the time of the newest fault of a
   * host. Null: not known.
   */
  readonly since: Date | null;
  /**
   * The time when the need gets worse: an upload is discarded, a domain is removed or fails, or a certificate ends. Null: there is no such
   * time.
   */
  readonly deadline: Date | null;
}

export interface Needs {
  /** The first 100, the most urgent first. */
  readonly needs: readonly Need[];
  /** The number of all needs, by kind. Kinds without a need are left out. */
  readonly counts: Readonly<Partial<Record<NeedKind, number>>>;
}
