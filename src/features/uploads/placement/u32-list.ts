/** A list of numbers below 2^32 that grows. It takes 4 bytes a number, and the garbage collector sees one object. */
export class U32List {
  #numbers = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const grown = new Uint32Array(2 * this.#numbers.length);
      grown.set(this.#numbers);
      this.free();
      this.#numbers = grown;
    }
    this.#numbers[this.#length++] = number;
  }

  /** Frees the memory now: the garbage collector sees a small object, and runs late. Call nothing of the list afterwards. */
  free(): void {
    this.#numbers.buffer.transfer(0);
  }

  /** Returns the numbers, in the memory of the list. The next `push` may free it. */
  view(): Uint32Array<ArrayBuffer> {
    return this.#numbers.subarray(0, this.#length);
  }
}
