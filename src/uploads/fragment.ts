/** The messages between the main thread and a rendering thread: batches go in, fragments come back. */
import type { DeflatedPiece } from '../platform/gzip/gzip-member.ts';
import type { Violation } from '../sitemap/parse-entry.ts';

export type { ElementBatch as Batch } from '../platform/json/element-scan.ts';

/** No fragment crosses a multiple of this many entries of its upload. Every `sizeLimit` is such a multiple. */
export const ENTRIES_PER_FRAGMENT = 1000;

/** The XML of successive entries of a batch, deflated. */
export interface Fragment extends DeflatedPiece {
  readonly entries: number;
  readonly newsEntries: number;
  /** Bit mask of the extension namespaces in use (sitemap/namespaces.ts). */
  readonly namespaces: number;
}

/** How many entries took each path: that of the kernel (sitemap/entry-transcoder.ts), or the normative one. */
export interface EntriesByPath {
  readonly kernel: number;
  readonly normative: number;
}

/** `entriesByPath`: of the whole batch. Entries after one that is not JSON take no path and do not count. */
export type RenderResult = { readonly entriesByPath: EntriesByPath } & (
  | { readonly kind: 'fragments'; readonly fragments: readonly Fragment[] }
  /** `violations`: in document order, the first MAX_LISTED_VIOLATIONS of `count`. */
  | { readonly kind: 'violations'; readonly violations: readonly Violation[]; readonly count: number }
  /** The entry with this index is not JSON. */
  | { readonly kind: 'malformed'; readonly index: number }
);

export const MAX_LISTED_VIOLATIONS = 100;
