/** The messages between the main thread and the thread that reads a Parquet file. */
import type { Refusal } from '../../../platform/refusal.ts';
import type { TableHeader } from '../forms/csv-layout.ts';
import type { Batch } from '../fragment.ts';

export interface ParquetTask extends Pick<TableHeader, 'choices' | 'where'> {
  /** The length of the file. */
  readonly bytes: number;
  /** Whether the reading of values gives a zone to times that have none. */
  readonly hasZone: boolean;
}

/** The requests of the thread. It sends the names before the columns, and the columns before the first batch. */
export type ParquetAsk =
  | { readonly kind: 'read'; readonly start: number; readonly end: number }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'columns'; readonly header: TableHeader }
  | { readonly kind: 'batch'; readonly batch: Batch };

/**
 * The refusal of a file that is not damaged. Undefined if all rows were read. The refusal comes as data, because an error loses its class
 * between threads.
 */
export type ParquetEnd = Pick<Refusal, 'code' | 'message' | 'options'> | undefined;
