/**
 * What changed between two uploads of a sitemap. The content of an upload is a map from `loc` to the rest of its entry,
 * as published. If a `loc` comes several times, its first entry counts. Files that both uploads have are left out on both
 * sides, before anything is read (docs/decisions/0025).
 */
import type { Transaction } from '../platform/postgres/database.ts';

/** `removed`: the live upload has no such `loc`. */
export type ChangeKind = 'added' | 'changed' | 'removed';
export const CHANGE_KINDS = ['added', 'changed', 'removed'] as const satisfies readonly ChangeKind[];

/** How many URLs changed in each way. Each `loc` counts once. */
export type ChangeCounts = Readonly<Record<ChangeKind, number>>;

/** Some of them, for people. */
export type ChangeSamples = Readonly<Record<ChangeKind, readonly string[]>>;

/**
 * | state | means |
 * |---|---|
 * | compared | with the upload that was live before, or before uploads that were replaced too soon |
 * | first | there was none |
 * | unknown | there was one, but its files are gone, or files are damaged |
 */
export type ComparisonState = 'compared' | 'first' | 'unknown';

/** A sitemap, and two of its uploads. */
interface Comparison {
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  /** The live upload. */
  readonly uploadId: string;
  readonly formerUploadId: string;
}

/** Opens a receiver of the changes of one comparison. Undefined: nobody wants them. */
export type OpenChangeSink = (comparison: Comparison) => Promise<ChangeSink | undefined>;

/**
 * In the end, `commit` or `discard` is called, never both. If the process dies, neither may be. Calls do not overlap.
 */
export interface ChangeSink {
  /** At most some 1,000 at a time. The next ones come when the promise resolves. */
  add(kind: ChangeKind, locs: readonly string[]): Promise<void>;
  /** Stores what is left. It comes before `commit`. */
  settle(): Promise<void>;
  /** In the transaction that records the comparison, which may still fail. Only SQL: the transaction must not wait. */
  commit(transaction: Transaction): Promise<void>;
  /** The comparison failed, or is out of date. Another one of the same uploads may follow. */
  discard(): Promise<void>;
}

/** URLs of pages of this origin: scheme, host and port, as in https://www.example.com. */
export interface OriginCount {
  readonly origin: string;
  readonly urlCount: number;
}

/** Called in the transaction that records the comparison, for first uploads too. `origins`: the most frequent ones. */
export type OnCounted = (
  transaction: Transaction,
  counted: Omit<Comparison, 'formerUploadId' | 'uploadId'> & {
    readonly uploadId: string;
    readonly origins: readonly OriginCount[];
  },
) => Promise<void>;
