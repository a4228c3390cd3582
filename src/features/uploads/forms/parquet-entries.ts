/** Reads the rows of Parquet. `parquet/row-writer.ts` has written their JSON, so only their names are missing. */
import type { Batch } from '../fragment.ts';
import type { BatchEntries } from './batch-entries.ts';
import { layoutOf, type TableHeader } from './csv-layout.ts';
import { CsvPlan } from './csv-plan.ts';

/** The last plan is kept, because an upload has thousands of batches with the same columns. */
let last: { readonly key: string; readonly header: TableHeader; readonly plan: CsvPlan } | undefined;

export function parquetEntries(batch: Batch): BatchEntries {
  const { bytes, ends, present, firstLine = 1 } = batch;
  const key = batch.preamble!;
  if (last?.key !== key) {
    const header: TableHeader = JSON.parse(key);
    last = { key, header, plan: new CsvPlan(layoutOf(header).columns) };
  }
  const { plan, header } = last;
  return {
    json: bytes,
    ends,
    ...(header.where.length > 0 && { filtered: emptyRecords(ends) }),
    names: {
      lineOf: (i) => firstLine + i,
      fieldName: (path, i) =>
        plan.nameOf(
          path,
          ({ column }) => present === undefined || present[i * header.names.length + column] === 1,
        ),
    },
  };
}

/** Returns 1 for each empty record: a row that a condition leaves out has no JSON. */
function emptyRecords(ends: Uint32Array): Uint8Array {
  return Uint8Array.from(ends, (end, i) => (end === (i === 0 ? 0 : ends[i - 1]! + 1) ? 1 : 0));
}
