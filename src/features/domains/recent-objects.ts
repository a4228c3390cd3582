/** The objects of the sitemap of recent changes of a domain, as its site shows them (docs/decisions/0057). */

/** A stored object, as `features/sites/site.ts` describes it. */
interface DescribedObject {
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly etag: string;
  /** As in 2026-01-15T10:00:00Z. */
  readonly lastModified: string;
}

export interface RecentFile extends DescribedObject {
  readonly entries: number;
}

export type RecentFeed = DescribedObject;

export interface RecentObjects {
  /** The objects are those of an upload with this id, which has no row. */
  readonly uploadId: string;
  readonly files: readonly RecentFile[];
  /** Null: there is none. */
  readonly feed: RecentFeed | null;
}
