/** The messages between the main thread and a rendering thread: batches go in, fragments come back. */
import type { DeflatedPiece } from '../platform/gzip/gzip-member.ts';
import type { ElementBatch } from '../platform/json/element-scan.ts';
import type { Violation } from '../sitemap/parse-entry.ts';
import type { UploadForm } from './forms/form.ts';

/** Successive records of an upload, as they came. In JSON, a record is an element of `urls`. */
export interface Batch extends ElementBatch {
  /** Absent: JSON. */
  readonly form?: UploadForm;
  /** The line of the first record, from 1, in a form with lines. */
  readonly firstLine?: number;
  /** What a reader of records must know of the beginning of the body: the columns of CSV, the namespaces of XML. */
  readonly preamble?: string;
}

/** What becomes of an upload with invalid entries: it is refused, or goes on without them. */
export type OnInvalid = 'fail' | 'skip';

/** The task of a rendering thread. */
export interface RenderTask {
  readonly batch: Batch;
  readonly onInvalid: OnInvalid;
}

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
export type RenderResult = {
  readonly entriesByPath: EntriesByPath;
} /** `rejected`: what `skip` left out, if anything. */ & (
  | { readonly kind: 'fragments'; readonly fragments: readonly Fragment[]; readonly rejected?: Rejected }
  /** `violations`: in document order, the first MAX_LISTED_VIOLATIONS of `count`. */
  | { readonly kind: 'violations'; readonly violations: readonly Violation[]; readonly count: number }
  /** The entry with this index is not JSON. */
  | { readonly kind: 'malformed'; readonly index: number }
);

/** The invalid entries of a batch. */
export interface Rejected {
  readonly entries: number;
  /** In document order, the first MAX_REJECTED_VIOLATIONS of `count`. */
  readonly violations: readonly Violation[];
  readonly count: number;
}

export const MAX_LISTED_VIOLATIONS = 100;
/** Of a batch. */
export const MAX_REJECTED_VIOLATIONS = 10_000;
