/** Reads the rows of Parquet. `parquet/row-writer.ts` has written the JSON of the rows, so only the names for messages are missing. */
import type { Batch } from '../fragment.ts';
import { type BatchEntries, keepLast } from './batch-entries.ts';
import { layoutOf, type TableHeader } from './csv-layout.ts';
import { CsvPlan } from './csv-plan.ts';

const planFor = keepLast((preamble) => {
  const header: TableHeader = JSON.parse(preamble);
  return { header, plan: new CsvPlan(layoutOf(header).columns) };
});

export function parquetEntries(batch: Batch): BatchEntries {
  const { bytes, ends, present, firstLine = 1 } = batch;
  const { plan, header } = planFor(batch);
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

/** Returns for each record 1 if it is empty, and 0 if not. A row that a condition leaves out has no JSON. */
function emptyRecords(ends: Uint32Array): Uint8Array {
  return Uint8Array.from(ends, (end, i) => (end === (i === 0 ? 0 : ends[i - 1]! + 1) ? 1 : 0));
}
