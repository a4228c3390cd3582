/**
 * The changes between two uploads of a sitemap. The content of an upload is a map from `loc` to the rest of its entry, as published. If a
 * `loc` comes several times in an upload, its first entry counts. A comparison leaves out the files that both uploads have, before it reads
 * any file. It may also leave out entries that both uploads have equally often (docs/decisions/0025, 0054).
 */
import type { Transaction } from '../../platform/postgres/database.ts';
import type { ChangeKind } from '../entries/entry-kernel.ts';

export const CHANGE_KINDS = ['added', 'changed', 'removed'] as const satisfies readonly ChangeKind[];

/** Returns lines of a list of changes: {"change":"added","loc":"https://…"}. Lists are stored as gzip. */
export function changeLines(change: ChangeKind, locs: readonly string[]): string {
  let lines = '';
  for (const loc of locs) lines += `{"change":"${change}","loc":${JSON.stringify(loc)}}\n`;
  return lines;
}

/** How many URLs changed in each way. Each `loc` counts once. */
export type ChangeCounts = Readonly<Record<ChangeKind, number>>;

/** A few changed URLs of each kind, for people. */
export type ChangeSamples = Readonly<Record<ChangeKind, readonly string[]>>;

/**
 * | state | means |
 * |---|---|
 * | compared | the upload was compared with the upload that was compared last; uploads between these two were skipped |
 * | first | the sitemap had no upload before |
 * | unknown | the files of the former upload are gone, the comparison was given up, or an older version published without a comparison |
 * | rewritten | the XML of the former upload is of another version, so all its files differ, even if no URL changed |
 */
export type ComparisonState = 'compared' | 'first' | 'unknown' | 'rewritten';

export interface Comparison {
  readonly accountId: string;
  readonly domainId: string;
  readonly hostname: string;
  /** Empty for the unnamed sitemap. */
  readonly sitemapName: string;
  /** The newer upload. */
  readonly uploadId: string;
  readonly formerUploadId: string;
}

/** Opens a receiver of the changes of one comparison. Returns undefined if no part of Waypost needs these changes. */
export type OpenChangeSink = (comparison: Comparison) => Promise<ChangeSink | undefined>;

/** Receives changes. Calls do not overlap. The last call is `commit` or `discard`, unless the process dies before it. */
export interface ChangeSink {
  /** Takes some 1,000 URLs at most. The next call comes after the promise has resolved. */
  add(kind: ChangeKind, locs: readonly string[]): Promise<void>;
  /** Stores the URLs that are still in memory. It is called before `commit`. */
  settle(): Promise<void>;
  /** Runs SQL in the transaction that records the comparison, and waits for no other I/O. The transaction may still fail. */
  commit(transaction: Transaction): Promise<void>;
  /** Drops the changes, because the comparison failed or is out of date. Another comparison of the same uploads may follow. */
  discard(): Promise<void>;
}

export interface OriginCount {
  /** Scheme, host and port of URLs, as in https://www.example.com. */
  readonly origin: string;
  readonly urlCount: number;
}

/** Runs in the transaction that records a comparison or a first upload. `origins`: the most frequent origins, in descending order. */
export type OnCounted = (
  transaction: Transaction,
  counted: Omit<Comparison, 'formerUploadId'> & { readonly origins: readonly OriginCount[] },
) => Promise<void>;
