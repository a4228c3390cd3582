/**
 * Writes rows of columns as the JSON of entries, by a kernel (kernels/forms/json-rows.ts). The memory of the kernel has OUTPUT_BYTES for
 * the JSON, and behind this room the columns. The caller may append to the JSON.
 */
import { BLOCK, VECTOR } from '../../../platform/kernel-layout.ts';
import { BATCH_LIMITS } from './batch-limits.ts';
import { createFormsKernel } from './forms-kernel.ts';
import { JsonBytes } from './json-bytes.ts';
import { ROW_COLUMN_BYTES, ROW_COLUMN_OPEN, ROW_JSON, ROW_TEXT } from './kernel-layout.ts';

/** The values of a column, in the layout that Arrow has for texts. */
export interface RowColumn {
  readonly kind: 'text' | 'json';
  /** A bit for each row, from `firstBit` on: whether the row has a value. Absent: all rows have values. */
  readonly bits?: Uint8Array;
  readonly firstBit?: number;
  /** The position of each row's value, in bytes, and at last the end of the last value. The first position is that of `values[0]`. */
  readonly offsets: Uint32Array;
  readonly values: Uint8Array;
  /** The JSON before a value. */
  readonly open: Uint8Array;
}

/** The bytes for the JSON of a batch. The batch is full when it has a fourth of these bytes. The other bytes are for its last row. */
const OUTPUT_BYTES = 4 * BATCH_LIMITS.maxBytes;
/** WebAssembly memory never shrinks, so columns with more bytes are left to the caller. */
const MAX_COLUMNS_BYTES = 8 * 1024 * 1024;

export const MAX_ROW_OPEN_BYTES = ROW_COLUMN_BYTES - ROW_COLUMN_OPEN - VECTOR;

const aligned = (position: number) => (position + VECTOR - 1) & -VECTOR;

export class JsonRows {
  readonly #kernel = createFormsKernel();
  readonly json = new JsonBytes(this.#kernel.memory);
  readonly #start = aligned(this.#kernel.heap.value);
  readonly #limit = this.#start + OUTPUT_BYTES;
  #columns: readonly RowColumn[] = [];
  #endsAt = 0;

  constructor() {
    this.clear();
  }

  /** Forgets the written rows. */
  clear(): void {
    this.json.clear(this.#start);
  }

  /** The number of bytes written. */
  get bytes(): number {
    return this.json.at - this.#start;
  }

  /** Takes the columns of some rows. Returns false if they are too large. */
  take(columns: readonly RowColumn[]): boolean {
    const sizes = columns.map(
      ({ bits, offsets, values }) => (bits?.length ?? 0) + offsets.byteLength + values.length,
    );
    if (sizes.reduce((sum, size) => sum + size, 0) > MAX_COLUMNS_BYTES) return false;
    this.#columns = columns;
    this.copyColumns();
    return true;
  }

  /**
   * Writes the rows from `first` to `count - 1`, and appends the end of each row to `ends`. Returns the first row that the kernel did not
   * write, or `count`. A returned row before `count` means that the batch is full, or that the caller must write this row.
   */
  write(first: number, count: number, ends: number[]): number {
    const { json } = this;
    const start = this.#start;
    const { writeRows, rowsEnd } = this.#kernel;
    const full = start + BATCH_LIMITS.maxBytes;
    const next = writeRows(
      this.#limit,
      this.#columns.length,
      first,
      count,
      start,
      json.at,
      full,
      this.#limit,
      this.#endsAt,
    );
    json.at = rowsEnd.value;
    for (const end of new Uint32Array(json.bytes.buffer, this.#endsAt, next - first)) ends.push(end);
    return next;
  }

  /** Whether the caller has written JSON over the columns. If so, the batch is full. Call `copyColumns` after the batch is taken. */
  get isOverwritten(): boolean {
    return this.json.at > this.#limit;
  }

  /** Copies the taken columns into the memory of the kernel. */
  copyColumns(): void {
    const { json } = this;
    const columnsAt = this.#limit;
    let at = columnsAt + this.#columns.length * ROW_COLUMN_BYTES;
    const written = json.at;
    json.at = at;
    const put = (bytes: Uint8Array) => {
      json.at = at = aligned(at);
      json.makeRoom(bytes.length + BLOCK);
      json.bytes.set(bytes, at);
      at += bytes.length;
      json.at = at;
      return at - bytes.length;
    };
    for (const [i, { kind, bits, firstBit = 0, offsets, values, open }] of this.#columns.entries()) {
      const bitsAt = bits === undefined ? 0 : put(bits);
      const offsetsAt = put(new Uint8Array(offsets.buffer, offsets.byteOffset, offsets.byteLength));
      const valuesAt = put(values) - offsets[0]!;
      const column = columnsAt + i * ROW_COLUMN_BYTES;
      const head = [
        kind === 'text' ? ROW_TEXT : ROW_JSON,
        bitsAt,
        firstBit,
        offsetsAt,
        valuesAt,
        open.length,
      ];
      for (const [n, number] of head.entries()) json.bytes.writeInt32LE(number, column + 4 * n);
      json.bytes.set(open, column + ROW_COLUMN_OPEN);
    }
    this.#endsAt = aligned(at);
    json.at = this.#endsAt;
    json.makeRoom(4 * (this.#columns[0]?.offsets.length ?? 0) + BLOCK);
    json.at = written;
  }
}
