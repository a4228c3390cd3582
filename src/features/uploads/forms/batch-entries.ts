/**
 * The types by which a thread reads a batch of any form: the JSON of its entries, and the names of its records in
 * that form.
 */
import type { CellLayout } from '../../../core/sitemap/entry-transcoder.ts';
import type { Violation } from '../../../core/sitemap/violation.ts';
import type { Batch } from '../fragment.ts';

/** The reason why a record is no entry, in the terms of its form. */
export type RecordFault = Pick<Violation, 'field' | 'value' | 'message'>;

/** Names the records of a batch in messages. `i` is the position of the record in the batch, from 0. */
export interface RecordNames {
  /** Returns the line where the record begins, from 1. Call it for the records in their order. */
  lineOf(i: number): number;
  /** Returns the field's name in this form, for a path in the entry. The path is empty for the entry itself. */
  fieldName(path: readonly PropertyKey[], i: number): string;
  /**
   * Says why a record has no valid JSON. The JSON of such a record is empty or malformed. The method is absent if the form always makes valid
   * JSON.
   */
  faultOf?(i: number): RecordFault;
  /** Says what to add to the message of a violation, if the form knows a cure. */
  cureOf?(violation: RecordFault): string;
  /** Says why a value cannot be an entry, if the form can say more than the schema of entries. */
  misfitOf?(i: number, value: unknown): RecordFault | undefined;
}

export interface BatchEntries {
  /** The JSON of all records in UTF-8: one value for each record, with commas between the values. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** The end of each record's JSON in `json`: the position of the comma after it, or the end of `json`. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** For each record: 1 if a condition of the client leaves it out, otherwise 0. A record that is left out has empty JSON. */
  readonly filtered?: Uint8Array;
  /** The number of texts in which a backslash may stand for another character. */
  readonly escapes?: number;
  /** Names records in messages. Absent for the form JSON: there, a malformed element damages the whole document. */
  readonly names?: RecordNames;
}

/** Records that the kernel of entries reads where they stand. For some of them, the kernel needs the JSON. */
export interface BatchCells extends Required<Pick<BatchEntries, 'names'>> {
  readonly layout: CellLayout;
  /** Returns the JSON of record `i`, which is valid until the next call. It is empty if the record is unreadable. */
  jsonOf(i: number): Uint8Array;
  /** The number of texts in these records in which a backslash may stand for another character. */
  readonly escapes: number;
}

/** A reader may write into the bytes of the batch, because only the `names` that it returns read them again. */
export type ReadEntries = (batch: Batch) => BatchEntries;

/** Keeps the result of `create` for the last preamble, because an upload has thousands of batches with the same preamble. */
export function keepLast<Made>(create: (preamble: string) => Made): (batch: Batch) => Made {
  let last: { readonly preamble: string; readonly made: Made } | undefined;
  return ({ preamble = '' }) => {
    if (last?.preamble !== preamble) last = { preamble, made: create(preamble) };
    return last.made;
  };
}
