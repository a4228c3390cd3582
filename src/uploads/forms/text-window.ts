/** The part of a text that is still needed, with the numbers of its lines. */

const LINE_FEED = 0x0a;
const FIRST_BYTES = 64 * 1024;

export class TextWindow {
  /** The text is `bytes[0..end)`. */
  bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  end = 0;
  /** The line of `bytes[#countedTo]`, from 1. */
  #line = 1;
  #countedTo = 0;

  add(chunk: Uint8Array): void {
    const length = this.end + chunk.length;
    if (length > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      this.bytes.copy(larger, 0, 0, this.end);
      this.bytes = larger;
    }
    this.bytes.set(chunk, this.end);
    this.end = length;
  }

  /** Fast if positions rise. */
  lineAt(position: number): number {
    const forward = position >= this.#countedTo;
    const breaks = forward
      ? this.#breaksIn(this.#countedTo, position)
      : -this.#breaksIn(position, this.#countedTo);
    this.#line += breaks;
    this.#countedTo = position;
    return this.#line;
  }

  /** Forgets what stands before a position, which is 0 from then on. */
  drop(to: number): void {
    this.lineAt(to);
    this.bytes.copyWithin(0, to, this.end);
    this.end -= to;
    this.#countedTo = 0;
  }

  #breaksIn(from: number, to: number): number {
    let breaks = 0;
    for (let i = from; i < to; i++) if (this.bytes[i] === LINE_FEED) breaks++;
    return breaks;
  }
}
