/** Reads a body as an upload does, without rendering: main thread's side, then thread's side. */
import { parseDialect } from '../../../src/features/uploads/forms/dialect.ts';
import { entriesOf } from '../../../src/features/uploads/forms/entries-of.ts';
import { parseRecord } from '../../../src/features/uploads/forms/parse-record.ts';
import { type RecordForm, readRecords } from '../../../src/features/uploads/forms/read-records.ts';
import type { Batch } from '../../../src/features/uploads/fragment.ts';
import { collect } from '../../support/collect.ts';
import { inChunks } from './render-body.ts';

export interface ReadRecord {
  readonly line: number;
  /** The value that JSON would have. Undefined for a record that cannot be read. */
  readonly value: unknown;
  readonly violations: readonly { field: string; value: unknown; message: string }[];
}

export function batchesOf(
  form: RecordForm,
  body: string | Buffer,
  chunkBytes = 65_536,
  query: Readonly<Record<string, unknown>> = {},
): Promise<Batch[]> {
  const bytes = Buffer.from(body as string);
  return collect(readRecords(form, inChunks(bytes, chunkBytes), parseDialect(form, query)));
}

export async function readForm(
  form: RecordForm,
  body: string | Buffer,
  chunkBytes?: number,
  query?: Readonly<Record<string, unknown>>,
): Promise<ReadRecord[]> {
  return (await batchesOf(form, body, chunkBytes, query)).flatMap(recordsIn);
}

function recordsIn(batch: Batch): ReadRecord[] {
  const { json, ends, names } = entriesOf(batch);
  // The next batch of the thread overwrites it.
  const text = Buffer.from(json);
  return Array.from(ends, (end, i) => {
    const record = text.toString('utf8', i === 0 ? 0 : ends[i - 1]! + 1, end);
    const parsed = parseRecord(record, i, batch.firstIndex + i, names);
    if (typeof parsed === 'symbol') throw new Error(`record ${i} is malformed`);
    return {
      line: names!.lineOf(i),
      value: jsonIn(record),
      violations: 'violations' in parsed ? parsed.violations : [],
    };
  });
}

function jsonIn(record: string): unknown {
  try {
    return JSON.parse(record);
  } catch {
    return undefined;
  }
}
