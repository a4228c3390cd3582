/** Writes the rows of a Parquet file as the JSON of entries, and cuts them into batches. */
import type { ArrowField } from '../../../platform/parquet/arrow.ts';
import type { ParquetRows } from '../../../platform/parquet/open-parquet.ts';
import { invalidField } from '../../../platform/refusal.ts';
import { BATCH_LIMITS } from '../forms/batch-limits.ts';
import type { TableLayout } from '../forms/csv-layout.ts';
import { type CsvGroup, type CsvLeaf, CsvPlan } from '../forms/csv-plan.ts';
import { JsonBytes } from '../forms/json-bytes.ts';
import { meets } from '../forms/where.ts';
import type { Batch } from '../fragment.ts';
import { TypeProblem, valuesOf } from './column-types.ts';
import type { Values } from './values.ts';

export class RowWriter {
  readonly #plan: CsvPlan;
  readonly #where: TableLayout['where'];
  /** By the position of the column, like the next two. */
  readonly #values: (Values | undefined)[];
  readonly #compared: (Values | undefined)[];
  readonly #names: readonly string[];
  /** What batches carry of the beginning. */
  readonly #preamble: string;
  readonly #isNumbered: boolean;
  readonly #json = new JsonBytes();
  #ends: number[] = [];
  /** For each row and column 1 if there is a value, if its name in a message depends on that. */
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
        if (values !== undefined) values.bind(rows.memory, rows.columnOf(name).array);
      }
    }
    for (let row = 0; row < rows.length; row++) {
      this.#writeRow(row);
      if (this.#isFull) yield this.#take();
    }
  }

  /** Yields the rest. */
  *end(): Generator<Batch, void, undefined> {
    if (this.#ends.length > 0) yield this.#take();
  }

  #writeRow(row: number): void {
    const json = this.#json;
    const before = json.at;
    json.makeRoom(3);
    if (!this.#isWanted(row)) json.comma();
    else if (!this.#group(this.#plan.root, row)) json.emptyObject();
    if (json.at - before > BATCH_LIMITS.elementBytes) {
      throw invalidField('line', this.#firstIndex + this.#ends.length + 1, 'is a row of more than 4 MiB');
    }
    this.#ends.push(json.at - 1);
    if (this.#isNumbered) for (const values of this.#values) this.#present.push(values?.has(row) ? 1 : 0);
  }

  #isWanted(row: number): boolean {
    for (const each of this.#where) if (!meets(each, this.#comparedText(each.at, row))) return false;
    return true;
  }

  #comparedText(column: number, row: number): string {
    const values = this.#compared[column]!;
    return values.has(row) ? values.textOf(row) : '';
  }

  /** Writes a group and a comma, and returns true. Returns false if it has no value. */
  #group({ nodes, open, close }: CsvGroup, row: number): boolean {
    const json = this.#json;
    const before = json.at;
    json.makeRoom(open.length);
    json.put(open);
    const start = json.at;
    for (const node of nodes) {
      if ('column' in node) this.#leaf(node, row);
      else this.#group(node, row);
    }
    if (json.at === start) {
      json.at = before;
      return false;
    }
    json.close(close);
    return true;
  }

  #leaf({ column, open }: CsvLeaf, row: number): void {
    const values = this.#values[column]!;
    if (!values.has(row)) return;
    const json = this.#json;
    json.makeRoom(open.length);
    json.put(open);
    values.write(row, json);
    json.makeRoom(1);
    json.comma();
  }

  /** Batches end where those of other forms do, so that the same entries make the same fragments. */
  get #isFull(): boolean {
    const { elements, group, bytes, maxBytes } = BATCH_LIMITS;
    const next = this.#firstIndex + this.#ends.length;
    const { at } = this.#json;
    return next % elements === 0 || at >= maxBytes || (at >= bytes && next % group === 0);
  }

  #take(): Batch {
    const json = this.#json;
    const firstIndex = this.#firstIndex;
    const batch = {
      form: 'parquet' as const,
      // Without the last comma.
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
    json.clear();
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
