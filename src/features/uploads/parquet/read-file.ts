/** Reads a Parquet file in a thread: asks for the parts of the file that it needs, and hands over batches. */
import { type ChosenColumns, openParquet } from '../../../platform/parquet/open-parquet.ts';
import type { AnswerAsk } from '../../../platform/process/asking-thread.ts';
import { invalidField, Refusal } from '../../../platform/refusal.ts';
import { layoutOf, type TableHeader } from '../forms/csv-layout.ts';
import type { ParquetAsk, ParquetEnd, ParquetTask } from './messages.ts';
import { RowWriter } from './row-writer.ts';

const MAX_COLUMNS = 2000;
/** The most row groups. The decoder copies the metadata of all groups for each group, so the time for a file grows with their square. */
const MAX_ROW_GROUPS = 10_000;
/** The most bytes of a row group. Two copies of them are in memory for a moment. */
const MAX_GROUP_BYTES = 64 * 1024 * 1024;
/** The most rows. A few bytes of a hostile file can say that a value is in billions of rows. */
const MAX_ROWS = 100_000_000;

/** Reads a Parquet file. A damaged file ends the thread, with its fault as the error. */
export async function readParquetFile(task: ParquetTask, ask: AnswerAsk<ParquetAsk>): Promise<ParquetEnd> {
  try {
    await read(task, ask);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, options } = error;
    return { code, message, options };
  }
}

async function read(
  { bytes, choices, where, hasZone }: ParquetTask,
  ask: AnswerAsk<ParquetAsk>,
): Promise<void> {
  using file = await openParquet(bytes, async (start, end) => (await ask({ kind: 'read', start, end }))!);
  const { columns: fields } = file;
  if (fields.length > MAX_COLUMNS) {
    throw invalidField('columns', fields.length, `of the file must be at most ${MAX_COLUMNS}`);
  }
  if (file.rowGroups > MAX_ROW_GROUPS) {
    throw invalidField('row groups', file.rowGroups, `of the file must be at most ${MAX_ROW_GROUPS}`);
  }
  const names = fields.map(({ name }) => name);
  await ask({ kind: 'names', names });
  const header: TableHeader = { names, hasHeader: true, choices, where, takesWhole: true };
  const writer = new RowWriter(fields, layoutOf(header), JSON.stringify(header), hasZone);
  await ask({ kind: 'columns', header });
  const chosen = file.choose(writer.columns);
  let left = MAX_ROWS;
  for (let group = 0; group < file.rowGroups; group++) {
    refuseLargeGroup(chosen, group);
    for await (const rows of chosen.rowsOf(group)) {
      left -= rows.length;
      if (left < 0) throw invalidField('rows', undefined, `of the file must be at most ${MAX_ROWS}`);
      for (const batch of writer.write(rows)) await ask({ kind: 'batch', batch });
    }
  }
  for (const batch of writer.end()) await ask({ kind: 'batch', batch });
}

function refuseLargeGroup(chosen: ChosenColumns, group: number): void {
  const bytes = chosen.groupBytes(group);
  if (bytes <= MAX_GROUP_BYTES) return;
  throw invalidField(
    `row group ${group + 1}`,
    bytes,
    `has more than ${MAX_GROUP_BYTES / 1024 / 1024} MiB in the columns that are read: write smaller row groups, as of 100,000 rows`,
  );
}
