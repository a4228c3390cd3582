/**
 * Reads a JSON document as a stream. The document is one object, or one array if the shape allows an array. The reader yields the requested
 * members, and the elements of the requested arrays in batches. It buffers neither the document nor other members. It accepts the same text
 * around the elements as a strict parser (RFC 8259, section 2), wherever the chunks are cut. It does not check the elements: the parser of
 * the batches does.
 *
 * Parts come in document order. The parts before a fault come before the error.
 */
import type { BatchLimits } from '../batch-kernel.ts';
import { invalidField, unknownName } from '../refusal.ts';
import { refuseFiles } from '../refuse-files.ts';
import { Utf8Text } from '../utf8-text.ts';
import { type ElementBatch, ElementScan } from './element-scan.ts';
import { isWhiteSpace, JsonSyntax, malformed } from './json-syntax.ts';

export interface DocumentShape {
  /** Names of the members whose values are wanted. */
  readonly members: readonly string[];
  /** The most bytes of such a value. The default is 16 KiB. */
  readonly memberBytes?: number;
  /** The array members whose elements are wanted in batches. */
  readonly arrays?: readonly string[];
  /** The limits of these batches. */
  readonly limits?: BatchLimits;
  /** The array that may be the whole document, without an object around it; or the reason why the document may be no array. */
  readonly root?: { readonly array: string } | { readonly refused: string };
  /** Whether an unknown member is a fault. Otherwise it is skipped. */
  readonly refusesUnknown?: boolean;
  /** Messages about unknown members, by name, that say more than that the member is unknown. */
  readonly misplaced?: Readonly<Record<string, string>>;
}

export type DocumentPart =
  | { readonly kind: 'member'; readonly name: string; readonly value: unknown }
  | {
      readonly kind: 'batch';
      readonly name: string;
      readonly batch: ElementBatch;
      /** The array is the whole document. */
      readonly isRoot?: true;
    }
  /** The array has ended, after `count` elements. */
  | { readonly kind: 'array-end'; readonly name: string; readonly count: number };

const MEMBER_BYTES = 16 * 1024;
/** A character takes at most 6 bytes (`\u0064`). Wanted names have at most 20 characters, which take 120 bytes and two quotes. */
const MAX_KEY_BYTES = 128;
const OPEN_ARRAY = 0x5b;

/**
 * Yields the document's parts. Throws Refusal VALIDATION_ERROR for a value that is too long and for an unknown member, and Refusal
 * BAD_REQUEST for every other fault.
 */
export async function* readDocument(
  chunks: AsyncIterable<Uint8Array>,
  shape: DocumentShape,
): AsyncGenerator<DocumentPart, void, undefined> {
  using scan = new DocumentScan(shape);
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const fault = caught(() => scan.push(bytes));
    yield* scan.takeParts();
    if (fault !== undefined) throw fault;
  }
  const fault = caught(() => scan.end());
  yield* scan.takeParts();
  if (fault !== undefined) throw fault;
}

function caught(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

class DocumentScan implements Disposable {
  readonly #shape: DocumentShape;
  readonly #known: readonly string[];
  readonly #memberBytes: number;
  readonly #text = new Utf8Text();
  readonly #syntax = new JsonSyntax();
  readonly #capture = new Capture();
  #parts: DocumentPart[] = [];
  readonly #seen = new Set<string>();
  #hasBegun = false;
  #isInKey = false;
  /** The wanted member whose value is being read. Undefined while the elements of a wanted array are read. */
  #member: string | undefined;
  #elements: ElementScan | undefined;

  constructor(shape: DocumentShape) {
    this.#shape = shape;
    this.#memberBytes = shape.memberBytes ?? MEMBER_BYTES;
    this.#known = [...shape.members, ...(shape.arrays ?? [])];
  }

  push(chunk: Buffer): void {
    if (this.#text.isEmpty) {
      refuseFiles(chunk);
      if (isMarkedUtf16(chunk)) throw malformed('it is UTF-16, as PowerShell writes it: save it as UTF-8');
    }
    try {
      this.#text.push(chunk, (text) => this.#scan(text));
    } catch (error) {
      this.#elements?.flush();
      throw error;
    }
  }

  end(): void {
    if (!this.#hasBegun) throw malformed('it is empty');
    if (this.#syntax.isDone && this.#elements?.isDone !== false) return;
    this.#elements?.flush();
    throw malformed('it ends too early');
  }

  [Symbol.dispose](): void {
    this.#elements?.close();
  }

  takeParts(): DocumentPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #scan(chunk: Buffer): void {
    let at = this.#hasBegun ? 0 : this.#begin(chunk);
    while (at < chunk.length) {
      if (this.#elements !== undefined && !this.#elements.isDone) {
        at = this.#elements.advance(chunk, at);
        const { isDone, name, count } = this.#elements;
        if (isDone) this.#parts.push({ kind: 'array-end', name, count });
        continue;
      }
      const from = at;
      at = this.#syntax.advance(chunk, at);
      this.#capture.add(chunk, from, at);
      this.#checkCapture();
      switch (this.#syntax.event) {
        case 'key-start':
          this.#capture.start(MAX_KEY_BYTES);
          this.#isInKey = true;
          break;
        case 'key-end':
          this.#isInKey = false;
          this.#member = this.#wantedMember(this.#capture.take());
          break;
        case 'value-start':
          if (this.#member === undefined) break;
          if (chunk[at] === OPEN_ARRAY && this.#shape.arrays?.includes(this.#member)) {
            this.#syntax.skipValue();
            at = this.#beginElements(at, this.#member);
            this.#member = undefined;
          } else this.#capture.start(this.#memberBytes);
          break;
        case 'value-end':
          if (this.#member !== undefined) this.#endMember(this.#member);
          break;
      }
    }
  }

  /** Returns the position where the scan goes on: after the bracket if the document is an array, and at the beginning if not. */
  #begin(chunk: Buffer): number {
    const at = chunk.findIndex((byte) => !isWhiteSpace(byte));
    this.#hasBegun = at >= 0;
    const { root } = this.#shape;
    if (chunk[at] !== OPEN_ARRAY || root === undefined) return 0;
    if ('refused' in root) throw malformed(`it must be a JSON object: ${root.refused}`);
    this.#syntax.skipDocument();
    return this.#beginElements(at, root.array, { isRoot: true });
  }

  /** Returns the position after the bracket at `at`. */
  #beginElements(at: number, name: string, place: { readonly isRoot?: true } = {}): number {
    const emit = (batch: ElementBatch) => this.#parts.push({ kind: 'batch', name, batch, ...place });
    this.#elements = new ElementScan(name, this.#shape.limits!, emit);
    return at + 1;
  }

  /** `key`: the bytes of the key with its quotes, one character per byte; undefined if it is too long. All wanted names are ASCII. */
  #wantedMember(key: string | undefined): string | undefined {
    if (key === undefined) return undefined;
    const name: string = key.includes('\\') ? JSON.parse(key) : key.slice(1, -1);
    if (!this.#known.includes(name)) {
      const { refusesUnknown, misplaced = {} } = this.#shape;
      if (refusesUnknown && Object.hasOwn(misplaced, name))
        throw invalidField(name, undefined, misplaced[name]!);
      if (refusesUnknown) throw unknownName(JSON.parse(utf8Of(key)), this.#known);
      return undefined;
    }
    if (this.#seen.has(name)) throw malformed(`the member ${name} is given twice`);
    this.#seen.add(name);
    return name;
  }

  #endMember(name: string): void {
    const value: unknown = JSON.parse(utf8Of(this.#capture.take()!));
    this.#parts.push({ kind: 'member', name, value });
    this.#member = undefined;
  }

  #checkCapture(): void {
    if (!this.#capture.isOverflown) return;
    if (this.#isInKey && this.#shape.refusesUnknown) {
      throw unknownName(`${this.#capture.beginning().slice(1, 65)}…`, this.#known);
    }
    if (this.#member === undefined) return;
    throw invalidField(
      this.#member,
      `${this.#capture.beginning()}…`,
      `must be at most ${this.#memberBytes} bytes long`,
    );
  }
}

/**
 * Collects the bytes of one key or value, up to a limit, in a string with one character per byte. A document may have millions of keys, and
 * a Buffer for each key costs more than all other work.
 */
class Capture {
  #bytes = '';
  #limit = 0;
  #isActive = false;

  get isOverflown(): boolean {
    return this.#bytes.length > this.#limit;
  }

  start(limit: number): void {
    this.#bytes = '';
    this.#limit = limit;
    this.#isActive = true;
  }

  add(chunk: Buffer, from: number, to: number): void {
    if (!this.#isActive || from === to || this.isOverflown) return;
    this.#bytes += chunk.toString('latin1', from, Math.min(to, from + this.#limit + 1));
  }

  /** Ends the capture. Returns undefined if the text is longer than the limit. */
  take(): string | undefined {
    this.#isActive = false;
    return this.isOverflown ? undefined : this.#bytes;
  }

  beginning(): string {
    return utf8Of(this.#bytes).slice(0, 256);
  }
}

function isMarkedUtf16(beginning: Buffer): boolean {
  return ['\xff\xfe', '\xfe\xff'].includes(beginning.toString('latin1', 0, 2));
}

function utf8Of(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}
