/**
 * Reads CSV in a thread: turns the cells of a record into the JSON of an entry. An empty cell is an absent member.
 */
import { shownValue } from '../../../platform/shown-value.ts';
import type { Batch } from '../fragment.ts';
import type { BatchEntries, ReadEntries, RecordFault } from './batch-entries.ts';
import { CELL_FAULTS, CsvCells } from './csv-cells.ts';
import { columnsOf } from './csv-columns.ts';
import { CsvKernel } from './csv-kernel.ts';
import { type CsvGroup, type CsvLeaf, CsvPlan } from './csv-plan.ts';
import type { JsonBytes } from './json-bytes.ts';
import { RecordLines } from './record-lines.ts';
import { isPlainNumber, valueIn } from './value-kind.ts';

const LINE_FEED = 0x0a;
const BLANK = 0x20;
/** The length of an empty object and a comma. */
const EMPTY_BYTES = 3;

/** The reader of the last header is kept, because an upload has thousands of batches. */
let reader: CsvReader | undefined;

export const csvEntries: ReadEntries = (batch) => {
  const header = batch.preamble!;
  if (reader?.header !== header || reader.isLarge) reader = new CsvReader(header);
  return reader.read(batch);
};

class CsvReader {
  /** The names of the columns, as JSON. */
  readonly header: string;
  readonly #plan: CsvPlan;
  readonly #cells: CsvCells;
  readonly #kernel: CsvKernel;
  readonly #json: JsonBytes;
  #bytes: Buffer = Buffer.alloc(0);
  #ends: Uint32Array = new Uint32Array(0);

  constructor(header: string) {
    this.header = header;
    this.#plan = new CsvPlan(columnsOf(JSON.parse(header)));
    this.#cells = new CsvCells(this.#plan.columns.length);
    this.#kernel = new CsvKernel(this.#plan);
    this.#json = this.#kernel.json;
  }

  get isLarge(): boolean {
    return this.#kernel.isLarge;
  }

  read(batch: Batch): BatchEntries {
    const { bytes, ends } = batch;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#ends = ends;
    this.#kernel.load(batch);
    const lines = new RecordLines(batch);
    return {
      ...this.#writeJson(),
      names: {
        lineOf: (i) => lines.lineOf(i),
        faultOf: (i) => this.#faultOf(i),
        fieldName: (path, i) => {
          this.#split(i);
          return this.#plan.nameOf(path, ({ column }) => this.#cells.has(column));
        },
      },
    };
  }

  #writeJson(): Pick<BatchEntries, 'json' | 'ends'> {
    const json = this.#json;
    for (let i = this.#kernel.read(0); i < this.#ends.length; i = this.#kernel.read(i + 1)) {
      this.#writeRecord(i);
      this.#kernel.end(i);
    }
    const { ends } = this.#kernel;
    // Remove the comma after the last record.
    json.at--;
    return { json: json.written, ends };
  }

  /** Writes a record and a comma. For an unreadable record, writes only the comma. */
  #writeRecord(i: number): void {
    const json = this.#json;
    const { root, columns } = this.#plan;
    const isReadable = this.#split(i) === undefined && this.#cells.count === columns.length;
    json.makeRoom(EMPTY_BYTES);
    if (!isReadable) json.comma();
    else if (!this.#group(root)) json.emptyObject();
  }

  /** Writes a group and returns true, or returns false if it has no value. */
  #group({ nodes, open, close }: CsvGroup): boolean {
    const json = this.#json;
    const before = json.at;
    json.makeRoom(open.length);
    json.put(open);
    const start = json.at;
    for (const node of nodes) {
      if ('column' in node) this.#leaf(node);
      else this.#group(node);
    }
    if (json.at === start) {
      json.at = before;
      return false;
    }
    json.close(close);
    return true;
  }

  #leaf({ column, kind, open }: CsvLeaf): void {
    const cells = this.#cells;
    if (!cells.has(column)) return;
    const start = cells.starts[column]!;
    const end = cells.ends[column]!;
    const json = this.#json;
    json.makeRoomFor(open, end - start);
    json.put(open);
    const isString = kind === 'text' || kind === 'token';
    if (cells.doubled[column] === 0 && isString) json.string(this.#bytes, start, end);
    else if (kind === 'number' && isPlainNumber(this.#bytes, start, end))
      json.content(this.#bytes, start, end);
    else json.value(valueIn(kind, cells.textAt(column, this.#bytes)));
    json.comma();
  }

  /** Returns the position of the record's first byte, after blank lines. */
  #startOf(i: number): number {
    const from = i === 0 ? 0 : this.#ends[i - 1]! + 1;
    let at = from;
    while (this.#bytes[at]! <= BLANK) at++;
    while (at > from && this.#bytes[at - 1] !== LINE_FEED) at--;
    return at;
  }

  #split(i: number) {
    return this.#cells.split(this.#bytes, this.#startOf(i), this.#ends[i]!);
  }

  #faultOf(i: number): RecordFault {
    const fault = this.#split(i);
    const { columns } = this.#plan;
    const { count } = this.#cells;
    if (fault !== undefined && count <= columns.length) {
      const value = this.#cells.textAt(count - 1, this.#bytes);
      return { field: columns[count - 1]!.name, value: shownValue(value), message: CELL_FAULTS[fault] };
    }
    const value = this.#bytes.toString('utf8', this.#startOf(i), this.#ends[i]!);
    const message = `must have ${columns.length} cells, like the header; it has ${count}`;
    return { field: 'line', value: shownValue(value), message };
  }
}
