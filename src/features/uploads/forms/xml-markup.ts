/**
 * Finds the end of a piece of XML markup: a tag, a comment, a CDATA section or a processing instruction. The text may arrive in parts.
 * Each byte is looked at once, and parsers make all checks.
 */

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION_MARK = 0x3f;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;

export type MarkupKind = 'start' | 'end' | 'comment' | 'cdata' | 'instruction' | 'declaration';

/** The kinds of markup with an opening and a closing of their own. No opening is longer than LONGEST_OPENING. */
const OPENINGS = [
  { opening: Buffer.from('<!--'), kind: 'comment', closing: Buffer.from('-->') },
  { opening: Buffer.from('<![CDATA['), kind: 'cdata', closing: Buffer.from(']]>') },
  { opening: Buffer.from('<?'), kind: 'instruction', closing: Buffer.from('?>') },
] as const;
const LONGEST_OPENING = '<![CDATA['.length;

/**
 * Returns the kind of the markup that begins with the `<` at `at`, or undefined if more bytes are needed. A declaration begins with `<!`,
 * as `<!DOCTYPE` does, and is no comment and no CDATA section.
 */
export function markupKind(bytes: Buffer, at: number, end: number): MarkupKind | undefined {
  if (at + 1 >= end) return undefined;
  const second = bytes[at + 1];
  if (second === SLASH) return 'end';
  if (second === QUESTION_MARK) return 'instruction';
  if (second !== BANG) return 'start';
  const beginning = bytes.subarray(at, Math.min(end, at + LONGEST_OPENING));
  for (const { opening, kind } of OPENINGS) {
    if (beginning.subarray(0, opening.length).equals(opening)) return kind;
    const isCut = beginning.length < opening.length;
    if (isCut && opening.subarray(0, beginning.length).equals(beginning)) return undefined;
  }
  return 'declaration';
}

/** Searches the end of one piece of markup. Make a new one for each piece. */
export class MarkupEnd {
  readonly kind: MarkupKind;
  readonly #closing: Buffer | undefined;
  #quote = 0;
  /** The number of bytes that were searched, from the `<`. */
  #looked: number;

  constructor(kind: MarkupKind) {
    this.kind = kind;
    const section = OPENINGS.find((each) => each.kind === kind);
    this.#closing = section?.closing;
    this.#looked = section?.opening.length ?? 1;
  }

  /**
   * Returns the position after the markup that begins at `at`, or -1 if the markup goes on after `end`. After -1, call this method again
   * with more bytes.
   */
  find(bytes: Buffer, at: number, end: number): number {
    return this.#closing === undefined
      ? this.#endOfTag(bytes, at, end)
      : this.#endOf(this.#closing, bytes, at, end);
  }

  #endOf(closing: Buffer, bytes: Buffer, at: number, end: number): number {
    const found = bytes.subarray(0, end).indexOf(closing, at + this.#looked);
    if (found >= 0) return found + closing.length;
    this.#looked = Math.max(this.#looked, end - at - closing.length + 1);
    return -1;
  }

  /**
   * A `>` in a quoted value does not end the tag. A `<` is forbidden in tags and values, so a tag with a `<` is not closed, and ends before
   * the `<`.
   */
  #endOfTag(bytes: Buffer, at: number, end: number): number {
    let i = at + this.#looked;
    for (; i < end; i++) {
      const byte = bytes[i]!;
      if (byte === LESS_THAN) return i;
      if (this.#quote !== 0) {
        if (byte === this.#quote) this.#quote = 0;
      } else if (byte === GREATER_THAN) return i + 1;
      else if (byte === QUOTE || byte === APOSTROPHE) this.#quote = byte;
    }
    this.#looked = i - at;
    return -1;
  }
}
