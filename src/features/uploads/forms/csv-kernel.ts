/**
 * The fast path of CSV (forms-kernel/csv-records.ts). It reads records whose cells can be copied unchanged, below a header
 * without lists and objects. It is only an optimisation: csv-entries.ts writes the same JSON, and reads all other records.
 */
import { BLOCK, VECTOR } from '../../../platform/kernel-layout.ts';
import type { Batch } from '../fragment.ts';
import { type CellSyntax, refusesStrayQuotes } from './csv-cells.ts';
import type { CsvLeaf, CsvPlan } from './csv-plan.ts';
import { createFormsKernel } from './forms-kernel.ts';
import { JsonBytes } from './json-bytes.ts';
import {
  COLUMN_BYTES,
  COLUMN_OPEN,
  HAS_ESCAPES,
  HAS_STRAY_QUOTES,
  IGNORED,
  NUMBER,
  STRING,
} from './kernel-layout.ts';

/** WebAssembly memory never shrinks, so a new instance replaces one with more memory than this. */
const MAX_KEPT_BYTES = 24 * 1024 * 1024;

const aligned = (position: number) => (position + VECTOR - 1) & -VECTOR;

export class CsvKernel {
  readonly #kernel = createFormsKernel();
  /** The JSON is in the kernel's memory. */
  readonly json = new JsonBytes(this.#kernel.memory);
  /** One for each cell; undefined for a cell that is ignored. Empty if the kernel reads nothing. */
  readonly #columns: readonly (CsvLeaf | undefined)[];
  readonly #columnsAt: number;
  /** The most bytes of JSON that a record has beside its cells. */
  readonly #recordBytes: number;
  #count = 0;
  #recordsAt = 0;
  #endsAt = 0;
  #jsonEndsAt = 0;
  #jsonAt = 0;

  /** `isAble` is false if the host must look at each record. */
  constructor({ root, columns }: CsvPlan, syntax: CellSyntax, isAble: boolean) {
    const isFlat = root.nodes.every(
      (node) => 'column' in node && node.open.length < COLUMN_BYTES - COLUMN_OPEN,
    );
    const leaves = root.nodes as CsvLeaf[];
    const leafOf = (position: number) => leaves.find(({ column }) => column === position);
    this.#columns = isAble && isFlat ? columns.map((_, position) => leafOf(position)) : [];
    this.#columnsAt = aligned(this.#kernel.heap.value);
    this.#recordBytes = 4 + this.#columns.reduce((sum, leaf) => sum + (leaf?.open.length ?? 0) + 3, 0);
    this.json.clear(this.#columnsAt);
    this.json.makeRoom(this.#columns.length * COLUMN_BYTES);
    for (const [i, leaf] of this.#columns.entries())
      this.#writeColumn(leaf, this.#columnsAt + i * COLUMN_BYTES);
    const flags = (syntax.hasEscapes ? HAS_ESCAPES : 0) | (refusesStrayQuotes(syntax) ? HAS_STRAY_QUOTES : 0);
    this.#kernel.setCells(syntax.delimiter, flags);
  }

  get isLarge(): boolean {
    return this.json.bytes.length > MAX_KEPT_BYTES;
  }

  load({ bytes, ends }: Batch): void {
    this.#count = ends.length;
    this.#recordsAt = this.#columnsAt + this.#columns.length * COLUMN_BYTES;
    this.#endsAt = aligned(this.#recordsAt + bytes.length + BLOCK);
    this.#jsonEndsAt = this.#endsAt + ends.byteLength;
    this.#jsonAt = this.#jsonEndsAt + ends.byteLength;
    const { json } = this;
    json.clear(this.#recordsAt);
    json.makeRoom(this.#jsonAt - this.#recordsAt);
    json.bytes.set(bytes, this.#recordsAt);
    json.bytes.fill(0, this.#recordsAt + bytes.length, this.#endsAt);
    json.bytes.set(new Uint8Array(ends.buffer, ends.byteOffset, ends.byteLength), this.#endsAt);
    json.clear(this.#jsonAt);
  }

  /**
   * Writes the JSON of records from `first` on. Returns the index of the first record that it cannot read, or the
   * number of records.
   */
  read(first: number): number {
    if (this.#columns.length === 0) return first;
    const { json } = this;
    json.makeRoom(this.#endsAt - this.#recordsAt + (this.#count - first) * this.#recordBytes + VECTOR);
    this.#kernel.jsonAt.value = json.at;
    const next = this.#kernel.readRecords(
      this.#columnsAt,
      this.#columns.length,
      this.#recordsAt,
      this.#endsAt,
      this.#jsonEndsAt,
      first,
      this.#count,
      this.#jsonAt,
    );
    json.at = this.#kernel.jsonAt.value;
    return next;
  }

  /** Records that the JSON of record `i` ends before the last written comma. */
  end(i: number): void {
    this.json.bytes.writeUInt32LE(this.json.at - 1 - this.#jsonAt, this.#jsonEndsAt + 4 * i);
  }

  get ends(): Uint32Array<ArrayBuffer> {
    const { buffer } = this.json.bytes;
    return new Uint32Array(buffer, this.#jsonEndsAt, this.#count).slice();
  }

  #writeColumn(leaf: CsvLeaf | undefined, at: number): void {
    const { bytes } = this.json;
    if (leaf === undefined) {
      bytes.writeUInt32LE(IGNORED, at);
      return;
    }
    const { kind, open } = leaf;
    const text = kind === 'number' ? open : Buffer.concat([open, Buffer.from('"')]);
    bytes.writeUInt32LE(kind === 'number' ? NUMBER : STRING, at);
    bytes.writeUInt32LE(text.length, at + 4);
    text.copy(bytes, at + COLUMN_OPEN);
  }
}
