/** The types of a delta: one request that changes some entries of a sitemap. */
import type { Transaction } from '../../../platform/postgres/database.ts';
import type { Attempt } from '../attempt.ts';
import type { PublishedUpload, Uploader, UploadTerms } from '../publishing/publication.ts';
import type { UploadDomain } from '../upload-members.ts';
import type { OperationCounts } from './messages.ts';
import type { Operations } from './operations.ts';

/** The terms for removals of URLs that the sitemap does not have: `fail` refuses the delta. */
export const ON_MISSING = ['ignore', 'fail'] as const;
export type OnMissing = (typeof ON_MISSING)[number];

export interface Delta {
  readonly uploader: Uploader;
  readonly domain: UploadDomain;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  readonly terms: UploadTerms;
  /** Whether to tell the changes and publish nothing. */
  readonly dryRun: boolean;
  readonly onMissing: OnMissing;
  readonly operations: Operations;
  /** The attempt. It has the id of the delta. */
  readonly attempt: Attempt;
  /** Runs in the transaction that publishes the delta. If it throws, the delta is not published. */
  readonly onPublished: (transaction: Transaction, published: PublishedDelta) => Promise<void>;
}

/** The URLs that deltas changed, each once. */
interface ChangedByDelta {
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  readonly sitemapName: string;
  readonly uploadId: string;
  /** The id of the generation that was live before. */
  readonly formerUploadId: string;
  readonly changes: Readonly<Record<'added' | 'changed' | 'removed', readonly string[]>>;
  /** The XML of the entries that were added or changed. */
  readonly entries: () => Iterable<Buffer>;
}

/** Records the changes in the transaction that publishes them (`features/changes/record-delta.ts`). */
export type OpenDeltaRecord = (delta: ChangedByDelta) => Promise<{
  commit(transaction: Transaction): Promise<void>;
  /** Discards the record. Does nothing after `commit`. */
  discard(): Promise<void>;
}>;

export interface PublishedDelta extends PublishedUpload {
  readonly counts: OperationCounts;
}
