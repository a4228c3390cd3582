/** How a thread reads a batch of any form: as the JSON of entries, and with the names that its records have there. */
import type { Violation } from '../../sitemap/violation.ts';
import type { Batch } from '../fragment.ts';

/** Why a record has no entry, in the words of its form. */
export type RecordFault = Pick<Violation, 'field' | 'value' | 'message'>;

/** How to speak of the records of a batch. `i` is the position of the record in the batch, from 0. */
export interface RecordNames {
  /** The line where the record begins, from 1. Records are asked for in their order. */
  lineOf(i: number): number;
  /** The field's name in this form, for a path in the entry. The path is empty for the entry itself. */
  fieldName(path: readonly PropertyKey[], i: number): string;
  /** Called for a record whose JSON is not JSON. Empty text is not. Absent if there is no such record. */
  faultOf?(i: number): RecordFault;
  /** Why a value cannot be an entry of this form, if a form can say more than the schema of entries. */
  misfitOf?(i: number, value: unknown): RecordFault | undefined;
}

export interface BatchEntries {
  /** The JSON of a value for each record, in UTF-8, and a comma between two of them. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** For each record, where its JSON ends in `json`: at the comma after it, or at the end. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Absent for JSON: there, an element that is not JSON damages the whole document. */
  readonly names?: RecordNames;
}

/** May write into the bytes of the batch: they are not read again. */
export type ReadEntries = (batch: Batch) => BatchEntries;
