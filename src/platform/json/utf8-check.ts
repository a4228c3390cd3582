/** Checks that a stream is UTF-8, chunk by chunk, at the speed of `buffer.isUtf8`. */
import { isUtf8 } from 'node:buffer';

export class Utf8Check {
  /** The first bytes of a character that the end of the last chunk split. */
  #begun: Uint8Array = new Uint8Array(0);

  /** The number of bytes at the end that begin a character. */
  get begunBytes(): number {
    return this.#begun.length;
  }

  /** Returns the number of bytes of `chunk` that are valid text. The beginning of a character at the end of the chunk counts as valid. */
  validLength(chunk: Uint8Array): number {
    const borrowed = this.#completeBegun(chunk);
    if (borrowed === undefined) return 0;
    const rest = chunk.subarray(borrowed);
    const tail = rest.length - lengthOfBegun(rest);
    if (isUtf8(rest.subarray(0, tail)) && mayBegin(rest.subarray(tail))) {
      // A copy: `slice` of a Buffer is a view.
      if (tail < rest.length) this.#begun = Uint8Array.from(rest.subarray(tail));
      return chunk.length;
    }
    return borrowed + longestValid(rest);
  }

  /** Returns the number of bytes of `chunk` that belong to the split character. Undefined if the character is not valid. */
  #completeBegun(chunk: Uint8Array): number | undefined {
    if (this.#begun.length === 0) return 0;
    const missing = characterLength(this.#begun[0]!) - this.#begun.length;
    const taken = chunk.subarray(0, missing);
    const character = Buffer.concat([this.#begun, taken]);
    if (taken.length < missing) {
      if (!mayBegin(character)) return undefined;
      this.#begun = character;
      return taken.length;
    }
    this.#begun = new Uint8Array(0);
    return isUtf8(character) ? missing : undefined;
  }
}

/** Returns the number of bytes at the end that begin a character of the next chunk. */
function lengthOfBegun(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return characterLength(byte) > length ? length : 0;
  }
  return 0;
}

/**
 * Whether `bytes` with more bytes after them can be a character. The second byte decides whether a character is overlong, a surrogate or
 * beyond Unicode (RFC 3629, section 4).
 */
function mayBegin(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if (first === undefined) return true;
  // Candidates for the second byte. If any second byte makes the character valid, one of these does.
  const fillers = second === undefined && characterLength(first) > 1 ? [[0x80], [0x90], [0xa0]] : [[]];
  return fillers.some((filler) => {
    const missing = characterLength(first) - bytes.length - filler.length;
    return isUtf8(Buffer.from([...bytes, ...filler, ...Array<number>(missing).fill(0x80)]));
  });
}

function characterLength(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

/** The length of the longest prefix of whole, valid characters. */
function longestValid(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  // A prefix that ends within a valid character is not valid, so try also prefixes that are up to three bytes shorter.
  const validBefore = (end: number) => {
    for (let cut = 0; cut < 4 && cut <= end; cut++)
      if (isUtf8(bytes.subarray(0, end - cut))) return end - cut;
    return -1;
  };
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const valid = validBefore(middle);
    if (valid < 0) high = middle - 1;
    else low = middle;
  }
  return Math.max(0, validBefore(low));
}
