/** The objects of the sitemap of recent changes of a domain, as its site shows them (docs/decisions/0057). */

/** A stored object, as `features/sites/site.ts` describes it. */
export interface RecentFeed {
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  /** The time of the last change, as in 2026-01-15T10:00:00Z. */
  readonly lastModified: string;
}

export interface RecentFile extends RecentFeed {
  readonly entries: number;
}

export interface RecentObjects {
  /** The id of the prefix that has the objects. No row of `uploads` has this id. */
  readonly uploadId: string;
  /** The time of Postgres at which its row was written, as JSON has it. */
  readonly writtenAt: string;
  readonly files: readonly RecentFile[];
  /** The feed of changes. Null: there is none. */
  readonly feed: RecentFeed | null;
}
