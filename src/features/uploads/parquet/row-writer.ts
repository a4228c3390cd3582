/**
 * Writes the rows of a Parquet file as the JSON of entries, and cuts them into batches. A kernel writes rows without lists, objects and
 * conditions, from whole columns.
 */
import type { ArrowField } from '../../../platform/parquet/arrow.ts';
import type { ParquetRows } from '../../../platform/parquet/open-parquet.ts';
import { invalidField } from '../../../platform/refusal.ts';
import { BATCH_LIMITS, endsBatch } from '../forms/batch-limits.ts';
import type { TableLayout } from '../forms/csv-layout.ts';
import { type CsvLeaf, CsvPlan, writeEntry } from '../forms/csv-plan.ts';
import { JsonBytes } from '../forms/json-bytes.ts';
import { JsonRows, MAX_ROW_OPEN_BYTES, type RowColumn } from '../forms/json-rows.ts';
import { meets } from '../forms/where.ts';
import type { Batch } from '../fragment.ts';
import { TypeProblem, valuesOf } from './column-types.ts';
import type { Values } from './values.ts';

export class RowWriter {
  readonly #plan: CsvPlan;
  readonly #where: TableLayout['where'];
  /** The values of each column that is read, by the position of the column. */
  readonly #values: (Values | undefined)[];
  /** The values of each column that a condition compares, by the position of the column. */
  readonly #compared: (Values | undefined)[];
  readonly #names: readonly string[];
  /** The preamble that each batch carries. */
  readonly #preamble: string;
  readonly #isNumbered: boolean;
  readonly #rows = new JsonRows();
  readonly #json = this.#rows.json;
  /** The columns of the kernel, or undefined if the kernel may write no row. */
  readonly #leaves: readonly CsvLeaf[] | undefined;
  /** The memory of each column that the kernel gets as JSON. All batches use the same memory, because a thread frees memory late. */
  readonly #columnMemory: { readonly json: JsonBytes; offsets: Uint32Array<ArrayBuffer> }[] = [];
  #ends: number[] = [];
  /** For each row and column: 1 if the row has a value in the column, and 0 if not. Empty if no name in messages depends on these flags. */
  #present: number[] = [];
  #firstIndex = 0;

  /** Throws Refusal for a column whose values cannot be read. */
  constructor(
    fields: readonly ArrowField[],
    { columns, where }: TableLayout,
    preamble: string,
    hasZone: boolean,
  ) {
    this.#plan = new CsvPlan(columns);
    this.#where = where;
    this.#preamble = preamble;
    this.#names = fields.map(({ name }) => name);
    this.#values = columns.map(
      (column, i) =>
        column && checked(fields[i]!, (field) => valuesOf(field, column.member, column.kind, hasZone)),
    );
    this.#compared = fields.map((each, i) =>
      where.some(({ at }) => at === i)
        ? checked(each, (field) => valuesOf(field, '', 'text', hasZone))
        : undefined,
    );
    const { nodes } = this.#plan.root;
    const isFlat = nodes.every((node) => 'column' in node && node.open.length <= MAX_ROW_OPEN_BYTES);
    this.#leaves = isFlat && where.length === 0 ? (nodes as CsvLeaf[]) : undefined;
    this.#isNumbered = columns.some((column) => column?.path.some((step) => typeof step === 'number'));
  }

  /** The names of the columns that are read. */
  get columns(): string[] {
    return this.#names.filter((_, i) => this.#values[i] !== undefined || this.#compared[i] !== undefined);
  }

  /** Yields the batches that these rows complete. */
  *write(rows: ParquetRows): Generator<Batch, void, undefined> {
    for (const [i, name] of this.#names.entries()) {
      for (const values of [this.#values[i], this.#compared[i]]) {
        if (values !== undefined) values.bind(rows.memory, rows.columnOf(name));
      }
    }
    const hasKernel =
      this.#leaves !== undefined &&
      this.#rows.take(this.#leaves.map((leaf) => this.#columnOf(leaf, rows.length)));
    for (let row = 0; row < rows.length; ) {
      const left = hasKernel ? this.#writeRows(row, rows.length) : row;
      if (left === row) this.#writeRow(row++);
      else row = left;
      const isOverwritten = hasKernel && this.#rows.isOverwritten;
      if (this.#isFull) yield this.#take();
      if (isOverwritten) this.#rows.copyColumns();
    }
  }

  /** Returns the first row that the kernel did not write. The kernel stops at each multiple of `group`, because a batch may end there. */
  #writeRows(row: number, rows: number): number {
    const { elementBytes, group } = BATCH_LIMITS;
    const before = this.#ends.length;
    const next = this.#firstIndex + before;
    const left = this.#rows.write(row, Math.min(rows, row + group - (next % group)), this.#ends);
    for (let i = before; i < this.#ends.length; i++) {
      if (this.#ends[i]! - (this.#ends[i - 1] ?? -1) > elementBytes) throw tooLong(this.#firstIndex + i + 1);
    }
    return left;
  }

  #columnOf({ column, open }: CsvLeaf, rows: number): RowColumn {
    const values = this.#values[column]!;
    const texts = values.textsOf(rows);
    if (texts !== undefined) return { kind: 'text', open, ...texts };
    this.#columnMemory[column] ??= { json: new JsonBytes(), offsets: new Uint32Array() };
    const memory = this.#columnMemory[column];
    if (memory.offsets.length <= rows) memory.offsets = new Uint32Array(rows + 1);
    const { json, offsets } = memory;
    json.clear();
    for (let row = 0; row < rows; row++) {
      if (values.has(row)) values.write(row, json);
      offsets[row + 1] = json.at;
    }
    return { kind: 'json', open, offsets: offsets.subarray(0, rows + 1), values: json.written };
  }

  /** Yields the last batch, unless it is empty. */
  *end(): Generator<Batch, void, undefined> {
    if (this.#ends.length > 0) yield this.#take();
  }

  #writeRow(row: number): void {
    const json = this.#json;
    const before = json.at;
    if (this.#isWanted(row)) writeEntry(this.#plan.root, json, (leaf) => this.#writeLeaf(leaf, row));
    else {
      json.makeRoom(1);
      json.comma();
    }
    if (json.at - before > BATCH_LIMITS.elementBytes) {
      throw tooLong(this.#firstIndex + this.#ends.length + 1);
    }
    this.#ends.push(this.#rows.bytes - 1);
    if (this.#isNumbered) for (const values of this.#values) this.#present.push(values?.has(row) ? 1 : 0);
  }

  #isWanted(row: number): boolean {
    return this.#where.every((each) => meets(each, this.#comparedText(each.at, row)));
  }

  #comparedText(column: number, row: number): string {
    const values = this.#compared[column]!;
    return values.has(row) ? values.textOf(row) : '';
  }

  #writeLeaf({ column, open }: CsvLeaf, row: number): void {
    const values = this.#values[column]!;
    if (!values.has(row)) return;
    const json = this.#json;
    json.makeRoom(open.length);
    json.put(open);
    values.write(row, json);
    json.makeRoom(1);
    json.comma();
  }

  /** Batches end where those of other forms end, so that the same entries make the same fragments. */
  get #isFull(): boolean {
    return endsBatch(this.#firstIndex + this.#ends.length, this.#rows.bytes);
  }

  #take(): Batch {
    const json = this.#json;
    const firstIndex = this.#firstIndex;
    const batch = {
      form: 'parquet' as const,
      // Leave out the last comma.
      bytes: new Uint8Array(json.written.subarray(0, -1)),
      ends: Uint32Array.from(this.#ends),
      firstIndex,
      firstLine: firstIndex + 1,
      preamble: this.#preamble,
      ...(this.#isNumbered && { present: Uint8Array.from(this.#present) }),
    };
    this.#firstIndex += this.#ends.length;
    this.#ends = [];
    this.#present = [];
    this.#rows.clear();
    return batch;
  }
}

function checked(field: ArrowField, read: (field: ArrowField) => Values): Values {
  try {
    return read(field);
  } catch (error) {
    if (!(error instanceof TypeProblem)) throw error;
    throw invalidField(field.name, undefined, error.message);
  }
}

const tooLong = (line: number) => invalidField('line', line, 'is a row of more than 4 MiB');
