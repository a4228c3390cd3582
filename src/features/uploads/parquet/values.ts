/** Writes the values of one column of a Parquet file as JSON. Arrow has each type in a layout of its own (`platform/parquet/arrow.ts`). */
import { isUtf8 } from 'node:buffer';
import type { ArrowArray, ArrowMemory } from '../../../platform/parquet/arrow.ts';
import { JsonBytes } from '../forms/json-bytes.ts';
import type { RowColumn } from '../forms/json-rows.ts';
import { type ValueKind, valueIn } from '../forms/value-kind.ts';

/** The kind of JSON that a value becomes. The member decides the kind. For `own`, in a list or an object, the type of the value decides it. */
export type WantedKind = ValueKind | 'own';

type ColumnTexts = Omit<RowColumn, 'kind' | 'open'>;

export abstract class Values {
  protected memory!: ArrowMemory;
  protected array!: ArrowArray;

  /** Turns to the next batch. From now on, rows are rows of this batch. */
  bind(memory: ArrowMemory, array: ArrowArray): void {
    this.memory = memory;
    this.array = array;
  }

  /** Whether row `i` has a value. An empty text is no value, as in CSV. */
  has(i: number): boolean {
    const bits = this.array.buffers[0]!;
    if (bits === 0 || bits === undefined) return true;
    const at = i + this.array.offset;
    return ((this.memory.bytes[bits + (at >> 3)]! >> (at & 7)) & 1) === 1;
  }

  /** The value as a text, for conditions. By default, the JSON of the value without its quotes. */
  textOf(i: number): string {
    textJson.clear();
    this.write(i, textJson);
    return textJson.bytes.toString('utf8', 1, textJson.at - 1);
  }

  /** Writes the value of row `i`, without a comma. Makes room. */
  abstract write(i: number, json: JsonBytes): void;

  /** Returns the texts of the first `rows` rows as they stand in memory, if they need no change. Otherwise returns undefined. */
  textsOf(_rows: number): ColumnTexts | undefined {
    return undefined;
  }

  /** The position of the number of row `i` in a buffer of numbers. */
  protected numberAt(i: number, bytes: number): number {
    return this.array.buffers[1]! + bytes * (i + this.array.offset);
  }
}

/** Shared by all values, because a text is read at once. */
const textJson = new JsonBytes();

/** The most kept texts. Columns of numbers often have few different values. */
const MAX_KEPT_TEXTS = 1000;

/** Booleans and numbers. If the member wants no string, the text of a value is also its JSON. */
abstract class BareValues extends Values {
  readonly #kind: WantedKind;
  readonly #kept = new Map<unknown, Buffer>();

  constructor(kind: WantedKind) {
    super();
    this.#kind = kind;
  }

  protected abstract readonly ownKind: ValueKind;

  /** Returns a key under which the JSON of a value is kept. Values with different texts have different keys. */
  protected keyOf(i: number): unknown {
    return this.textOf(i);
  }

  override write(i: number, json: JsonBytes): void {
    const key = this.keyOf(i);
    let written = this.#kept.get(key);
    if (written === undefined) {
      written = Buffer.from(this.#jsonOf(this.textOf(i)));
      if (this.#kept.size === MAX_KEPT_TEXTS) this.#kept.clear();
      this.#kept.set(key, written);
    }
    json.makeRoom(written.length);
    json.put(written);
  }

  #jsonOf(text: string): string {
    const kind = this.#kind === 'own' ? this.ownKind : this.#kind;
    // JSON has no infinity.
    if (kind === this.ownKind && !text.endsWith('Infinity')) return text;
    return JSON.stringify(kind === 'number' || kind === 'boolean' ? valueIn(kind, text) : text);
  }
}

export class BooleanValues extends BareValues {
  protected override readonly ownKind = 'boolean';

  override textOf(i: number): string {
    const at = i + this.array.offset;
    return `${((this.memory.bytes[this.array.buffers[1]! + (at >> 3)]! >> (at & 7)) & 1) === 1}`;
  }
}

export type ReadNumber = (view: DataView, at: number) => number | bigint;

abstract class NumberValues extends BareValues {
  protected override readonly ownKind = 'number';
  protected readonly bytes: number;

  /** `bytes`: the length of each number. */
  constructor(kind: WantedKind, bytes: number) {
    super(kind);
    this.bytes = bytes;
  }
}

export class IntegerValues extends NumberValues {
  readonly #read: ReadNumber;

  constructor(kind: WantedKind, bytes: number, read: ReadNumber) {
    super(kind, bytes);
    this.#read = read;
  }

  override textOf(i: number): string {
    return String(this.keyOf(i));
  }

  protected override keyOf(i: number): number | bigint {
    return this.#read(this.memory.view, this.numberAt(i, this.bytes));
  }
}

/** NaN is no value: pandas writes it for an absent value. */
export class FloatValues extends NumberValues {
  override has(i: number): boolean {
    return super.has(i) && !Number.isNaN(this.keyOf(i));
  }

  override textOf(i: number): string {
    const number = this.keyOf(i);
    return this.bytes === 8 ? String(number) : shortestSingle(number);
  }

  protected override keyOf(i: number): number {
    const at = this.numberAt(i, this.bytes);
    return this.bytes === 8 ? this.memory.view.getFloat64(at, true) : this.memory.view.getFloat32(at, true);
  }
}

/** Returns the shortest text that means this number of 32 bits and no other. Nine digits are enough for each. */
function shortestSingle(number: number): string {
  for (let digits = 1; ; digits++) {
    const read = Number(number.toPrecision(digits));
    if (digits === 9 || Math.fround(read) === number) return String(read);
  }
}

export class DecimalValues extends NumberValues {
  readonly #scale: number;

  constructor(kind: WantedKind, bytes: number, scale: number) {
    super(kind, bytes);
    this.#scale = scale;
  }

  override textOf(i: number): string {
    const at = this.numberAt(i, this.bytes);
    let value = 0n;
    for (let word = this.bytes - 4; word >= 0; word -= 4) {
      value = (value << 32n) | BigInt(this.memory.view.getUint32(at + word, true));
    }
    value = BigInt.asIntN(8 * this.bytes, value);
    const digits = (value < 0n ? -value : value).toString().padStart(this.#scale + 1, '0');
    const point = digits.length - this.#scale;
    const fraction = this.#scale === 0 ? '' : `.${digits.slice(point)}`;
    return `${value < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`;
  }
}

/** Texts. Those of a batch take at most 2 GiB. */
export class TextValues extends Values {
  readonly #kind: WantedKind;
  /** Whether the type of the column is only bytes. Such texts may not be UTF-8. */
  readonly #isBinary: boolean;
  #start = 0;
  #end = 0;

  constructor(kind: WantedKind, isBinary: boolean) {
    super();
    this.#kind = kind;
    this.#isBinary = isBinary;
  }

  override has(i: number): boolean {
    if (!super.has(i)) return false;
    this.#seek(i);
    return this.#end > this.#start;
  }

  override textOf(i: number): string {
    this.#seek(i);
    return this.memory.bytes.toString('utf8', this.#start, this.#end);
  }

  override write(i: number, json: JsonBytes): void {
    this.#seek(i);
    const { bytes } = this.memory;
    const isPlain = this.#isPlain;
    if (!isPlain || (this.#isBinary && !isUtf8(bytes.subarray(this.#start, this.#end)))) {
      const text = this.textOf(i);
      json.value(isPlain ? text : valueIn(this.#kind as ValueKind, text));
      return;
    }
    json.makeRoomFor(NOTHING, this.#end - this.#start);
    json.string(bytes, this.#start, this.#end);
  }

  override textsOf(rows: number): ColumnTexts | undefined {
    if (!this.#isPlain || this.#isBinary) return undefined;
    const { buffers, offset } = this.array;
    const { bytes } = this.memory;
    const [bits, starts, texts] = buffers as [number, number, number];
    const offsets = new Uint32Array(bytes.buffer, starts + 4 * offset, rows + 1);
    const values = bytes.subarray(texts + offsets[0]!, texts + offsets[rows]!);
    if (bits === 0) return { offsets, values };
    const there = bytes.subarray(bits + (offset >> 3), bits + ((offset + rows + 7) >> 3));
    return { offsets, values, bits: there, firstBit: offset & 7 };
  }

  get #isPlain(): boolean {
    return this.#kind === 'text' || this.#kind === 'token' || this.#kind === 'own';
  }

  /** Finds the text of row `i`. Buffer 1 has the start of each text and the end of the last one, and buffer 2 has the texts. */
  #seek(i: number): void {
    const { view } = this.memory;
    const { buffers, offset } = this.array;
    const offsets = buffers[1]! + 4 * (i + offset);
    this.#start = buffers[2]! + view.getUint32(offsets, true);
    this.#end = buffers[2]! + view.getUint32(offsets + 4, true);
  }
}

const NOTHING = new Uint8Array(0);
