/**
 * How much of the cached files is on its way to clients. What a slow client is still to get stays in memory though the
 * cache may have let it go; with thousands of clients and files that would be many times the cache.
 */
export class LentBuffers {
  readonly #maxBytes: number;
  readonly #loans = new Map<Buffer, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the buffer back when it is called; undefined when too much is lent. What is lent already costs nothing. */
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
