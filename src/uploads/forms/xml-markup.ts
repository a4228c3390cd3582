/**
 * Finds where a piece of XML's markup ends, in text that arrives in parts: a tag, a comment, a CDATA section or a
 * processing instruction. It looks at each byte once, and judges nothing: parsers do.
 */

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION_MARK = 0x3f;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;

export type MarkupKind = 'start' | 'end' | 'comment' | 'cdata' | 'instruction' | 'declaration';

/** By their beginnings. None is longer than LONGEST_OPENING. */
const OPENINGS = [
  { opening: Buffer.from('<!--'), kind: 'comment', closing: Buffer.from('-->') },
  { opening: Buffer.from('<![CDATA['), kind: 'cdata', closing: Buffer.from(']]>') },
  { opening: Buffer.from('<?'), kind: 'instruction', closing: Buffer.from('?>') },
] as const;
const LONGEST_OPENING = '<![CDATA['.length;

/**
 * What begins with the `<` at `at`. Undefined: more bytes must decide. `isLast`: there are no more. A declaration is
 * `<!DOCTYPE` or anything else with `<!`.
 */
export function markupKind(bytes: Buffer, at: number, end: number, isLast: boolean): MarkupKind | undefined {
  const second = at + 1 < end ? bytes[at + 1] : undefined;
  if (second === undefined && !isLast) return undefined;
  if (second === SLASH) return 'end';
  if (second === QUESTION_MARK) return 'instruction';
  if (second !== BANG) return 'start';
  const beginning = bytes.subarray(at, Math.min(end, at + LONGEST_OPENING));
  for (const { opening, kind } of OPENINGS) {
    if (beginning.subarray(0, opening.length).equals(opening)) return kind;
    const isCut = !isLast && beginning.length < opening.length;
    if (isCut && opening.subarray(0, beginning.length).equals(beginning)) return undefined;
  }
  return 'declaration';
}

/** The end of one piece of markup. A new one for each piece. */
export class MarkupEnd {
  readonly #closing: Buffer | undefined;
  #quote = 0;
  /** Up to here everything was looked at, counted from the `<`. */
  #looked: number;

  constructor(kind: MarkupKind) {
    const section = OPENINGS.find((each) => each.kind === kind);
    this.#closing = section?.closing;
    this.#looked = section?.opening.length ?? 1;
  }

  /** The position after the markup that begins at `at`, or -1 if it goes on after `end`. Call it again then. */
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

  /** A `>` in a quoted value ends no tag. A `<` cannot stand there, so a tag before it is not closed. */
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
