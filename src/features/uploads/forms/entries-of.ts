/**
 * Reads batches of each form: in a thread, or on the main thread for small bodies and previews. `read-records.ts` cuts bodies into these
 * batches.
 */
import type { Batch } from '../fragment.ts';
import { type BatchCells, type BatchEntries, keepLast, type ReadEntries } from './batch-entries.ts';
import { csvCells, csvEntries } from './csv-entries.ts';
import { layoutOf, type TableHeader } from './csv-layout.ts';
import { CsvPlan } from './csv-plan.ts';
import type { UploadForm } from './form.ts';
import { JsonBytes, MAX_ESCAPE_BYTES } from './json-bytes.ts';
import { mapMembers } from './map-members.ts';
import { ndjsonEntries } from './ndjson-entries.ts';
import { contentEnd, contentStart, lineNames } from './record-lines.ts';
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

const OPEN = Buffer.from('{"loc":');
const CLOSE = Buffer.from('}');
/** The bytes of an entry beside its URL, including two quotes and the comma before the entry. */
const FRAME_BYTES = OPEN.length + 2 + CLOSE.length + 1;

/** A thread reads one batch at a time, so it can share this buffer. */
const json = new JsonBytes();

/** Each line is one URL. White space around a URL does not belong to it. */
function textEntries(batch: Batch): BatchEntries {
  const { bytes, ends } = batch;
  const jsonEnds = new Uint32Array(ends.length);
  json.clear();
  for (let i = 0; i < ends.length; i++) {
    const start = contentStart(bytes, ends, i);
    const end = contentEnd(bytes, ends, i, start);
    json.makeRoom(FRAME_BYTES + MAX_ESCAPE_BYTES * (end - start));
    if (i > 0) json.comma();
    json.put(OPEN);
    json.string(bytes, start, end);
    json.put(CLOSE);
    jsonEnds[i] = json.at;
  }
  return { json: json.written, ends: jsonEnds, names: lineNames(batch) };
}

const planFor = keepLast((preamble) => {
  const header: TableHeader = JSON.parse(preamble);
  return { header, plan: new CsvPlan(layoutOf(header).columns) };
});

/** `parquet/row-writer.ts` has written the JSON of the rows, so only the names for messages are missing. */
function parquetEntries(batch: Batch): BatchEntries {
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
