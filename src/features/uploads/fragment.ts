/** The messages between the main thread and a rendering thread: batches go in, fragments come back. */
import { MAX_TAKEN_ENTRIES } from '../../core/sitemap/kernel-layout.ts';
import type { Reading, ReadingNotes } from '../../core/sitemap/reading.ts';
import type { Violation } from '../../core/sitemap/violation.ts';
import type { ElementBatch } from '../../platform/json/element-scan.ts';
import type { Fragment } from '../sites/fragment.ts';
import type { UploadForm } from './forms/form.ts';
import type { ViolationKind } from './violation-kinds.ts';

/** Successive records of an upload, unchanged. In JSON, a record is an element of `urls`. */
export interface Batch extends ElementBatch {
  /** The form of the records. Absent for JSON. */
  readonly form?: UploadForm;
  /** The position of the first record, from 1: its line in a form with lines, or its row in Parquet. */
  readonly firstLine?: number;
  /**
   * A text for the readers of records, the same in all batches of an upload: the columns of CSV or Parquet, the namespaces of XML, or the
   * choice of members in JSON and NDJSON.
   */
  readonly preamble?: string;
  /**
   * For each row and column of Parquet: 1 if the cell has a value. Absent for other forms. Absent also if the names in messages do not
   * depend on the cells.
   */
  readonly present?: Uint8Array;
  /** How values are read. If it is absent, values must have the spellings of docs/FORMAT.md. */
  readonly reading?: Reading;
}

/** Whether an upload with invalid entries is refused (`fail`) or goes on without them (`skip`). */
export type OnInvalid = 'fail' | 'skip';

export interface RenderTask {
  readonly batch: Batch;
  readonly onInvalid: OnInvalid;
}

/**
 * No fragment crosses a multiple of this many entries of its upload. The entries per file of every `sizeLimit` are a multiple of this
 * number.
 */
export const ENTRIES_PER_FRAGMENT = MAX_TAKEN_ENTRIES;

export interface RenderedFragment extends Fragment {
  readonly hashes: Uint8Array<ArrayBuffer>;
  /** The sum of the seeded hashes of the entries of the fragment, modulo 2^64. The order of the entries does not change it. */
  readonly digest: bigint;
}

/** The number of entries on each path: of the kernel (core/sitemap/entry-transcoder.ts), and of the normative code. */
export interface EntriesByPath {
  readonly kernel: number;
  readonly normative: number;
}

/**
 * `entriesByPath` counts the entries of the batch, without entries that a condition leaves out, and without entries after malformed JSON.
 */
export type RenderResult = {
  readonly entriesByPath: EntriesByPath;
} & (
  | {
      readonly kind: 'fragments';
      readonly fragments: readonly RenderedFragment[];
      /** The entries that `skip` left out, if there are any. */
      readonly rejected?: Rejected;
      /** The notes on the values of the rendered entries. */
      readonly notes: ReadingNotes;
      /** The number of records that a condition of the client left out. */
      readonly filtered: number;
    }
  /** `violations` are the first MAX_LISTED_VIOLATIONS of `count`, in document order. */
  | {
      readonly kind: 'violations';
      readonly violations: readonly Violation[];
      readonly count: number;
      readonly kinds: readonly ViolationKind[];
    }
  /** The entry with this index is malformed JSON. */
  | { readonly kind: 'malformed'; readonly index: number; readonly fault: string | undefined }
);

/** The invalid entries of a batch. */
export interface Rejected {
  readonly entries: number;
  /** The first MAX_REJECTED_VIOLATIONS of `count`, in document order. */
  readonly violations: readonly Violation[];
  readonly count: number;
  readonly kinds: readonly ViolationKind[];
}

export const MAX_LISTED_VIOLATIONS = 100;
/** The most listed violations of a batch that goes on without its invalid entries. */
export const MAX_REJECTED_VIOLATIONS = 10_000;
