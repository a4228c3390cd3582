/**
 * Turns the bytes of `<url>` elements of the usual shape into JSON bytes, many times faster than a parser. The usual shape has tags without
 * attributes, the usual alternates, plain text, and the five predefined references. The code here is only an optimisation: it reads a record
 * only if xml-record.ts reads the same value, and leaves all other records to xml-record.ts.
 */
import { type JsonBytes, MAX_ESCAPE_BYTES } from './json-bytes.ts';
import { isPlainNumber } from './value-kind.ts';
import { XML_ENTRY } from './xml-elements.ts';
import { type PlainMember, plainMember } from './xml-plain-members.ts';
import type { Namespaces } from './xml-record.ts';

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const AMPERSAND = 0x26;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const CLOSE_OBJECT = 0x7d;
const CLOSE_ARRAY = 0x5d;
/** The first byte of U+FFFE and U+FFFF, which XML forbids. Many characters that XML allows have the same first byte. */
const MAY_BE_FORBIDDEN = 0xef;

/** The result for a record that is left to the parser. */
const LEFT = -1;

const REFERENCES = (['&amp;', '&lt;', '&gt;', '&quot;', '&apos;'] as const).map((text, i) => ({
  text: Buffer.from(text),
  character: Buffer.from(['&', '<', '>', '\\"', "'"][i]!),
}));
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const YES = Buffer.from('yes');
const NO = Buffer.from('no');

const OPEN_OBJECT = Buffer.from('{');
const OPEN_ARRAY = Buffer.from('[');
const ALTERNATE_LANGUAGE = Buffer.from('{"hreflang":');
const ALTERNATE_HREF = Buffer.from('"href":');
const HREF_ATTRIBUTE = Buffer.from('" href="');

export class PlainXmlRecords {
  readonly #json: JsonBytes;
  readonly #entry: PlainMember | undefined;
  #from: Buffer = Buffer.alloc(0);
  #end = 0;

  constructor(namespaces: Namespaces, json: JsonBytes) {
    this.#json = json;
    const member = { name: 'url', tag: 'url', isList: false, kind: 'text', object: XML_ENTRY } as const;
    this.#entry = plainMember(member, namespaces);
  }

  /**
   * Writes the JSON of the record in `from[start..end)`. Returns false and writes nothing if the record is left to
   * the parser.
   */
  read(from: Buffer, start: number, end: number): boolean {
    const entry = this.#entry;
    if (entry === undefined) return false;
    this.#from = from;
    this.#end = end;
    const json = this.#json;
    const before = json.at;
    // Every byte may need an escape. The key that replaces a tag is at most a few bytes longer than the tag.
    json.makeRoom(MAX_ESCAPE_BYTES * (end - start) + 64);
    const at = skipSpace(from, start);
    const isRead = startsWith(from, at, entry.open) && this.#object(entry, at + entry.open.length) === end;
    if (!isRead) json.at = before;
    // The caller writes the comma after the record.
    else json.at--;
    return isRead;
  }

  /**
   * Reads the members of an object. `start` is the position after its start tag. Returns the position after its end
   * tag, or LEFT.
   */
  #object({ members = [], close }: PlainMember, start: number): number {
    const from = this.#from;
    const json = this.#json;
    json.put(OPEN_OBJECT);
    const content = json.at;
    let seen = 0;
    let next = 0;
    let list = -1;
    let at = skipSpace(from, start);
    while (!startsWith(from, at, close)) {
      if (at >= this.#end) return LEFT;
      const index = memberAt(from, at, members, next);
      if (index === LEFT) return LEFT;
      const member = members[index]!;
      if (list !== index) {
        if (list !== -1) json.close(CLOSE_ARRAY);
        if ((seen & (1 << index)) !== 0) return LEFT;
        seen |= 1 << index;
        json.put(member.key);
        if (member.isList) json.put(OPEN_ARRAY);
        list = member.isList ? index : -1;
      }
      at = this.#value(member, at + member.open.length);
      if (at === LEFT) return LEFT;
      json.comma();
      at = skipSpace(from, at);
      next = member.isList ? index : index + 1;
    }
    if (list !== -1) json.close(CLOSE_ARRAY);
    if (json.at === content) return LEFT;
    json.close(CLOSE_OBJECT);
    return at + close.length;
  }

  /** Reads a value, and writes no comma after it. */
  #value(member: PlainMember, start: number): number {
    const json = this.#json;
    if (member.isAlternate) return this.#alternate(start);
    if (member.members !== undefined) {
      const end = this.#object(member, start);
      json.at--;
      return end;
    }
    const { kind, close } = member;
    const before = json.at;
    const end = this.#string(start, LESS_THAN);
    if (end === LEFT || !startsWith(this.#from, end, close)) return LEFT;
    if (kind !== 'text' && !this.#isTrimmed(start, end)) return LEFT;
    if (kind === 'number' || kind === 'boolean') {
      json.at = before;
      if (!this.#literal(kind, start, end)) return LEFT;
    }
    return end + close.length;
  }

  /** Reads an alternate. After `rel`, it must have exactly the attributes `hreflang` and `href`. */
  #alternate(start: number): number {
    const json = this.#json;
    const from = this.#from;
    json.put(ALTERNATE_LANGUAGE);
    const end = this.#string(start, QUOTE);
    if (end === LEFT || !startsWith(from, end, HREF_ATTRIBUTE) || !this.#isTrimmed(start, end)) return LEFT;
    json.comma();
    json.put(ALTERNATE_HREF);
    const hrefAt = end + HREF_ATTRIBUTE.length;
    const hrefEnd = this.#string(hrefAt, QUOTE);
    if (hrefEnd === LEFT || !this.#isTrimmed(hrefAt, hrefEnd)) return LEFT;
    json.comma();
    json.close(CLOSE_OBJECT);
    json.at--;
    const isClosed = from[hrefEnd + 1] === 0x2f && from[hrefEnd + 2] === GREATER_THAN;
    return isClosed ? hrefEnd + 3 : LEFT;
  }

  /** Writes the text up to `stop` as a string. Returns the position of its end, or LEFT. */
  #string(start: number, stop: number): number {
    const from = this.#from;
    const json = this.#json;
    const to = json.bytes;
    let at = json.at;
    to[at++] = QUOTE;
    let i = start;
    for (; i < this.#end; i++) {
      const byte = from[i]!;
      if (byte > GREATER_THAN && byte !== BACKSLASH && byte !== MAY_BE_FORBIDDEN) to[at++] = byte;
      else if (byte === stop) break;
      else if (byte >= BLANK && isPlain(byte)) to[at++] = byte;
      else if (byte === MAY_BE_FORBIDDEN && !isForbidden(from, i)) to[at++] = byte;
      else if (byte === QUOTE || byte === BACKSLASH) {
        to[at++] = BACKSLASH;
        to[at++] = byte;
      } else if (byte === AMPERSAND) {
        const found = REFERENCES.find(({ text }) => startsWith(from, i, text));
        if (found === undefined) return LEFT;
        for (let n = 0; n < found.character.length; n++) to[at++] = found.character[n]!;
        i += found.text.length - 1;
      } else return LEFT;
    }
    to[at++] = QUOTE;
    json.at = at;
    return i < this.#end ? i : LEFT;
  }

  #literal(kind: 'number' | 'boolean', start: number, end: number): boolean {
    const from = this.#from;
    const json = this.#json;
    if (kind === 'number') {
      if (!isPlainNumber(from, start, end)) return false;
      json.content(from, start, end);
      return true;
    }
    const isYes = end - start === YES.length && startsWith(from, start, YES);
    if (!isYes && !(end - start === NO.length && startsWith(from, start, NO))) return false;
    json.put(isYes ? TRUE : FALSE);
    return true;
  }

  /** Whether the value is not empty and has no white space around it. */
  #isTrimmed(start: number, end: number): boolean {
    return end > start && this.#from[start]! > BLANK && this.#from[end - 1]! > BLANK;
  }
}

/** Whether a byte up to `>` is the same in a JSON string and in XML. */
function isPlain(byte: number): boolean {
  return (
    byte !== QUOTE && byte !== AMPERSAND && byte !== LESS_THAN && byte !== GREATER_THAN && byte < GREATER_THAN
  );
}

function isForbidden(bytes: Buffer, at: number): boolean {
  return bytes[at + 1] === 0xbf && bytes[at + 2]! >= 0xbe;
}

function startsWith(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === BLANK || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

/**
 * Returns the index of the member whose start tag is at `at`, or LEFT. Tries the expected member first, because most records have their
 * members in the same order.
 */
function memberAt(bytes: Buffer, at: number, members: readonly PlainMember[], expected: number): number {
  for (let n = 0; n < members.length; n++) {
    const index = (expected + n) % members.length;
    if (startsWith(bytes, at, members[index]!.open)) return index;
  }
  return LEFT;
}
