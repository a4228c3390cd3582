/** Writes lists and objects of a Parquet file as JSON. */
import type { ArrowArray, ArrowMemory } from '../../../platform/parquet/arrow.ts';
import type { JsonBytes } from '../forms/json-bytes.ts';
import { Values } from './values.ts';

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Absent elements are left out. */
export class ListValues extends Values {
  readonly #elements: Values;
  /** The JSON before a plain element that stands for a member of an object. */
  readonly #open: Buffer | undefined;

  /** `member`: the member that a plain element stands for, such as the `loc` of an image. */
  constructor(elements: Values, member?: string) {
    super();
    this.#elements = elements;
    this.#open = member === undefined ? undefined : Buffer.from(`{"${member}":`);
  }

  override bind(memory: ArrowMemory, array: ArrowArray): void {
    super.bind(memory, array);
    this.#elements.bind(memory, array.children[0]!);
  }

  override write(i: number, json: JsonBytes): void {
    const { view } = this.memory;
    const open = this.#open;
    const offsets = this.array.buffers[1]! + 4 * (i + this.array.offset);
    const first = view.getUint32(offsets, true);
    const end = view.getUint32(offsets + 4, true);
    json.makeRoom(3);
    json.bytes[json.at++] = OPEN_ARRAY;
    const start = json.at;
    for (let element = first; element < end; element++) {
      if (!this.#elements.has(element)) continue;
      if (open !== undefined) {
        json.makeRoom(open.length);
        json.put(open);
      }
      this.#elements.write(element, json);
      json.makeRoom(2);
      if (open !== undefined) json.bytes[json.at++] = CLOSE_OBJECT;
      json.comma();
    }
    if (json.at > start) json.at--;
    json.makeRoom(2);
    json.bytes[json.at++] = CLOSE_ARRAY;
  }
}

export class ObjectValues extends Values {
  readonly #members: readonly { readonly open: Buffer; readonly values: Values }[];

  constructor(members: readonly { readonly name: string; readonly values: Values }[]) {
    super();
    this.#members = members.map(({ name, values }) => ({
      open: Buffer.from(`${JSON.stringify(name)}:`),
      values,
    }));
  }

  override bind(memory: ArrowMemory, array: ArrowArray): void {
    super.bind(memory, array);
    for (const [i, { values }] of this.#members.entries()) values.bind(memory, array.children[i]!);
  }

  override write(i: number, json: JsonBytes): void {
    json.makeRoom(3);
    json.bytes[json.at++] = OPEN_OBJECT;
    const start = json.at;
    // The offset of the object counts for its children, too.
    const at = i + this.array.offset;
    for (const { open, values } of this.#members) {
      if (!values.has(at)) continue;
      json.makeRoom(open.length);
      json.put(open);
      values.write(at, json);
      json.makeRoom(1);
      json.comma();
    }
    if (json.at > start) json.at--;
    json.makeRoom(2);
    json.bytes[json.at++] = CLOSE_OBJECT;
  }
}
