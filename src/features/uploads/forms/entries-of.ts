/**
 * Reads batches of each form: in a thread, or on the main thread for small bodies and previews. `read-records.ts` cuts bodies into these
 * batches.
 */
import type { Batch } from '../fragment.ts';
import type { BatchCells, BatchEntries, ReadEntries } from './batch-entries.ts';
import { csvCells, csvEntries } from './csv-entries.ts';
import type { UploadForm } from './form.ts';
import { mapMembers } from './map-members.ts';
import { ndjsonEntries } from './ndjson-entries.ts';
import { parquetEntries } from './parquet-entries.ts';
import { textEntries } from './text-entries.ts';
import { xmlEntries } from './xml-entries.ts';

const READERS: Readonly<Record<UploadForm, ReadEntries>> = {
  json: (batch) =>
    batch.preamble === undefined ? { json: batch.bytes, ends: batch.ends } : mapMembers(batch, undefined),
  ndjson: ndjsonEntries,
  csv: csvEntries,
  text: textEntries,
  xml: xmlEntries,
  parquet: parquetEntries,
};

export function entriesOf(batch: Batch): BatchEntries {
  return READERS[batch.form ?? 'json'](batch);
}

/** Returns undefined for batches whose records the kernel of entries cannot read where they stand. */
export function cellsOf(batch: Batch): BatchCells | undefined {
  return batch.form === 'csv' ? csvCells(batch) : undefined;
}
