/** Keys of URLs in one buffer, one after the other. Half a million separate buffers take a hundred megabytes. */

/** The length of a key (`entry-pack.ts`). */
export const KEY_BYTES = 8;
const FIRST_KEYS = 1024;

export class KeyList {
  #memory = Buffer.alloc(KEY_BYTES * FIRST_KEYS);
  count = 0;

  /** Copies the first KEY_BYTES of `key`. */
  add(key: Uint8Array): void {
    if (KEY_BYTES * this.count === this.#memory.length) {
      this.#memory = Buffer.concat([this.#memory], 2 * this.#memory.length);
    }
    this.#memory.set(key.subarray(0, KEY_BYTES), KEY_BYTES * this.count++);
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, KEY_BYTES * this.count);
  }

  clear(): void {
    this.#memory = Buffer.alloc(KEY_BYTES * FIRST_KEYS);
    this.count = 0;
  }
}
