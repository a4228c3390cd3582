/**
 * Writes JSON into one growing buffer, byte by byte, so that entries of other forms become JSON without strings. Callers first make room,
 * and then write bytes at `at` or call the methods below.
 */
import { growMemory } from '../../../platform/grow-memory.ts';

/** `clear` releases a buffer that is larger. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const EMPTY_OBJECT = Buffer.from('{}');

/** The length of the longest escape of one byte in a string, such as `\u0001`. */
export const MAX_ESCAPE_BYTES = 6;

/** The value is 1 for each byte that a JSON string must escape. */
const NEEDS_ESCAPE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);

export class JsonBytes {
  readonly #memory: WebAssembly.Memory | undefined;
  bytes: Buffer<ArrayBuffer>;
  /** The position of the next byte. */
  at = 0;
  #start = 0;

  /** `memory` holds the bytes. If it is absent, a buffer of this writer holds them. */
  constructor(memory?: WebAssembly.Memory) {
    this.#memory = memory;
    this.bytes = memory === undefined ? Buffer.alloc(0) : Buffer.from(memory.buffer);
  }

  /** Discards the written JSON, and begins at `start`. */
  clear(start = 0): void {
    this.at = this.#start = start;
    if (this.#memory === undefined && this.bytes.length > MAX_KEPT_BYTES) this.bytes = Buffer.alloc(0);
  }

  /** The JSON that was written since `clear`. It is valid until the next `clear`. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(this.#start, this.at);
  }

  makeRoom(length: number): void {
    const end = this.at + length;
    if (end <= this.bytes.length) return;
    if (this.#memory !== undefined) {
      this.bytes = growMemory(this.#memory, this.bytes, end) as Buffer<ArrayBuffer>;
      return;
    }
    const larger = Buffer.allocUnsafeSlow(2 * end);
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }

  /** Makes room for a name, a string of `length` bytes, and a comma. */
  makeRoomFor(name: Uint8Array, length: number): void {
    this.makeRoom(name.length + MAX_ESCAPE_BYTES * length + 3);
  }

  /** Writes text that is JSON already. Makes no room. */
  put(text: Uint8Array): void {
    const { bytes } = this;
    let at = this.at;
    for (let i = 0; i < text.length; i++) bytes[at++] = text[i]!;
    this.at = at;
  }

  /** Writes a string. Makes no room. */
  string(from: Uint8Array, start: number, end: number): void {
    this.bytes[this.at++] = QUOTE;
    this.content(from, start, end);
    this.bytes[this.at++] = QUOTE;
  }

  /** Writes the content of a string, or a number. Makes no room. */
  content(from: Uint8Array, start: number, end: number): void {
    const { bytes } = this;
    let at = this.at;
    for (let i = start; i < end; i++) {
      const byte = from[i]!;
      if (NEEDS_ESCAPE[byte] === 1) at = putEscape(bytes, at, byte);
      else bytes[at++] = byte;
    }
    this.at = at;
  }

  /** Writes any value. Makes room for it and for a comma. */
  value(value: unknown): void {
    const json = JSON.stringify(value);
    this.makeRoom(3 * json.length + 1);
    this.at += this.bytes.write(json, this.at);
  }

  /** Writes a comma. Makes no room. */
  comma(): void {
    this.bytes[this.at++] = COMMA;
  }

  /** Replaces the last comma by a bracket and a comma, and makes room for the added byte. */
  close(bracket: number): void {
    this.makeRoom(1);
    this.bytes[this.at - 1] = bracket;
    this.bytes[this.at++] = COMMA;
  }

  /** Writes an empty object and a comma. Makes no room. */
  emptyObject(): void {
    this.put(EMPTY_OBJECT);
    this.comma();
  }
}

/** Returns the position after the escape. */
function putEscape(bytes: Uint8Array, at: number, byte: number): number {
  bytes[at] = BACKSLASH;
  if (byte === QUOTE || byte === BACKSLASH) {
    bytes[at + 1] = byte;
    return at + 2;
  }
  const code = `u${byte.toString(16).padStart(4, '0')}`;
  for (let i = 0; i < code.length; i++) bytes[at + 1 + i] = code.charCodeAt(i);
  return at + MAX_ESCAPE_BYTES;
}
