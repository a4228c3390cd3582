/**
 * Finds the end of an element, in text that arrives in parts. It follows only the tags that have the name of the element, because in
 * well-formed XML all other tags within the element are balanced. So a fault in a malformed element does not reach beyond its end tag.
 */
import { MarkupEnd, markupKind } from './xml-markup.ts';

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const SLASH = 0x2f;
const BLANK = 0x20;

export class XmlElementEnd {
  readonly #name: Buffer;
  /** The number of bytes that were searched, from the beginning of the element. */
  #looked: number;
  #depth: number;
  #markup: MarkupEnd | undefined;

  /** `isEmpty` says that the start tag is also the end tag. */
  constructor(name: Buffer, startTagBytes: number, isEmpty: boolean) {
    this.#name = name;
    this.#depth = isEmpty ? 0 : 1;
    this.#looked = startTagBytes;
  }

  /**
   * Returns the position after the end tag of the element that begins at `at`, or -1 if the end tag is not within `bytes[at..end)`. After
   * -1, call this method again with more bytes.
   */
  find(bytes: Buffer, at: number, end: number): number {
    while (this.#depth > 0) {
      if (this.#markup === undefined && !this.#begin(bytes, at, end)) return -1;
      if (this.#markup === undefined) continue;
      const next = this.#markup.find(bytes, at + this.#looked, end);
      if (next < 0) return -1;
      if (this.#markup.kind === 'end') this.#depth--;
      else if (this.#markup.kind === 'start' && bytes[next - 2] !== SLASH) this.#depth++;
      this.#markup = undefined;
      this.#looked = next - at;
    }
    return at + this.#looked;
  }

  /** Goes on to the next `<`. Returns false if it needs more bytes. */
  #begin(bytes: Buffer, from: number, end: number): boolean {
    let at = from + this.#looked;
    while (at < end && bytes[at] !== LESS_THAN) at++;
    this.#looked = at - from;
    const kind = at === end ? undefined : markupKind(bytes, at, end);
    if (kind === undefined) return false;
    if (kind === 'start' || kind === 'end') {
      const nameAt = kind === 'end' ? at + 2 : at + 1;
      // Both the name and the byte after it are needed.
      if (nameAt + this.#name.length >= end) return false;
      if (!this.#isNamed(bytes, nameAt)) {
        this.#looked = nameAt - from;
        return true;
      }
    }
    if (kind === 'declaration') this.#looked++;
    else this.#markup = new MarkupEnd(kind);
    return true;
  }

  #isNamed(bytes: Buffer, at: number): boolean {
    for (let i = 0; i < this.#name.length; i++) if (bytes[at + i] !== this.#name[i]) return false;
    const behind = bytes[at + this.#name.length]!;
    return behind <= BLANK || behind === GREATER_THAN || behind === SLASH;
  }
}
