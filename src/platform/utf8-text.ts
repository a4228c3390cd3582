/** Reads the text of a body: UTF-8, without a byte order mark at its beginning. */
import { malformed } from './json/json-syntax.ts';
import { Utf8Check } from './json/utf8-check.ts';

/** Names of UTF-8 and of a part of it. Python's ElementTree declares XML as US-ASCII by default. */
const NAMES = ['utf-8', 'utf8', 'us-ascii', 'ascii'];

/** Whether a text in this charset can be read as UTF-8. */
export const isUtf8Name = (charset: string) => NAMES.includes(charset.toLowerCase());

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export class Utf8Text {
  readonly #check = new Utf8Check();
  /** What to do if the text is not UTF-8, as the end of a sentence. */
  readonly #cure: string;
  #bytes = 0;
  /** The number of bytes of the mark that have come. The mark counts as complete once the text has begun. */
  #markBytes = 0;
  isEmpty = true;

  constructor(cure = '') {
    this.#cure = cure;
  }

  /** Whether the text so far ends with a whole character. */
  get isWhole(): boolean {
    return this.#check.begunBytes === 0;
  }

  /** Calls `take` with the valid text of a chunk. Then throws Refusal BAD_REQUEST if invalid bytes follow it. */
  push(chunk: Buffer, take: (text: Buffer) => void): void {
    if (chunk.length > 0) this.isEmpty = false;
    const { begunBytes } = this.#check;
    const valid = this.#check.validLength(chunk);
    const skipped = this.#skipMark(chunk, take);
    if (skipped < valid) take(chunk.subarray(skipped, valid));
    if (valid < chunk.length) {
      // The character may have begun in the chunk before.
      const at = this.#bytes + (valid === 0 ? -begunBytes : valid);
      throw malformed(`it is not UTF-8 from byte ${(at + 1).toLocaleString('en-US')} on${this.#cure}`);
    }
    this.#bytes += chunk.length;
  }

  /** Returns the number of bytes of `chunk` that belong to the mark. Chunks may split the mark. */
  #skipMark(chunk: Buffer, take: (text: Buffer) => void): number {
    if (this.#markBytes === BYTE_ORDER_MARK.length) return 0;
    const before = this.#markBytes;
    let skipped = 0;
    while (this.#markBytes < BYTE_ORDER_MARK.length && chunk[skipped] === BYTE_ORDER_MARK[this.#markBytes]) {
      skipped++;
      this.#markBytes++;
    }
    if (skipped === chunk.length || this.#markBytes === BYTE_ORDER_MARK.length) return skipped;
    // The bytes so far began another character, not the mark.
    this.#markBytes = BYTE_ORDER_MARK.length;
    if (before > 0) take(BYTE_ORDER_MARK.subarray(0, before));
    return 0;
  }
}
