/**
 * Bounds the cached bytes that are on their way to clients. While a slow client reads a buffer, the buffer stays in memory even if the
 * cache evicts it. Without a bound, the buffers of thousands of clients and files take many times the size of the cache.
 */
export class InFlightBuffers {
  readonly #maxBytes: number;
  readonly #loans = new Map<Buffer, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Lends a buffer, and returns a function that ends the loan. Undefined when too much is lent. A second loan of the same buffer takes no
   * room.
   */
  lend(buffer: Buffer): (() => void) | undefined {
    const loans = this.#loans.get(buffer) ?? 0;
    if (loans === 0) {
      if (this.#bytes + buffer.length > this.#maxBytes) return undefined;
      this.#bytes += buffer.length;
    }
    this.#loans.set(buffer, loans + 1);
    return () => this.#takeBack(buffer);
  }

  #takeBack(buffer: Buffer): void {
    const left = this.#loans.get(buffer)! - 1;
    if (left > 0) this.#loans.set(buffer, left);
    else {
      this.#loans.delete(buffer);
      this.#bytes -= buffer.length;
    }
  }
}
