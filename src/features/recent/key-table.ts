/** A hash table from the keys of URLs to numbers. A key is a hash already, so the lowest bits of its first word choose the slot. */
import { KEY_BYTES } from '../entries/key-list.ts';

export class KeyTable {
  readonly #mask: number;
  /** Three words for each slot: the two words of the key, and the number plus one. The third word of a free slot is 0. */
  readonly #slots: Uint32Array;

  /** `most`: the most keys that the table takes. */
  constructor(most: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * most + 2));
    this.#mask = slots - 1;
    this.#slots = new Uint32Array(3 * slots);
  }

  /** Returns the number of key `i` of `keys`; undefined if the table lacks the key. */
  find(keys: Buffer, i: number): number | undefined {
    const number = this.#slots[this.#slotOf(keys, i) + 2]!;
    return number === 0 ? undefined : number - 1;
  }

  /** Gives key `i` of `keys` a number. The number replaces the former number of the key. */
  set(keys: Buffer, i: number, number: number): void {
    const slot = this.#slotOf(keys, i);
    this.#slots[slot] = keys.readUInt32LE(KEY_BYTES * i);
    this.#slots[slot + 1] = keys.readUInt32LE(KEY_BYTES * i + 4);
    this.#slots[slot + 2] = number + 1;
  }

  /** Returns the slot of the key, or the free slot in which the key belongs. */
  #slotOf(keys: Buffer, i: number): number {
    const low = keys.readUInt32LE(KEY_BYTES * i);
    const high = keys.readUInt32LE(KEY_BYTES * i + 4);
    for (let at = low & this.#mask; ; at = (at + 1) & this.#mask) {
      const slot = 3 * at;
      const isFree = this.#slots[slot + 2] === 0;
      if (isFree || (this.#slots[slot] === low && this.#slots[slot + 1] === high)) return slot;
    }
  }
}
