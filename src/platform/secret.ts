/** Wraps a value that must not reach logs or answers. It always prints as `[secret]`. */
import { hkdfSync } from 'node:crypto';
import { inspect } from 'node:util';

const KEY_BYTES = 32;

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Returns a key for `purpose` alone: HKDF (RFC 5869) of the value. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#value, '', purpose, KEY_BYTES));
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
