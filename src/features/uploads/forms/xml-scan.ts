/**
 * Cuts an XML document into batches of whole, unchanged `<url>` elements. `xml-entries.ts` reads these elements. All other text goes to a
 * parser at once. The ends of batches depend only on the document, and not on its chunks.
 *
 * ```
 * <?xml …?> <urlset …>  <url>…</url>  <!-- … --> <url>…</url>  </urlset>
 * └──── to the parser ┘ └─ record ─┘ └ to it too ┘ └─ record ─┘ └ to it too
 * ```
 * In a batch, blanks and line breaks replace the bytes between two records, so that threads can count lines.
 */
import { isWhiteSpace, malformed } from '../../../platform/json/json-syntax.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { Batch } from '../fragment.ts';
import { BATCH_LIMITS } from './batch-limits.ts';
import { TextWindow } from './text-window.ts';
import { XmlBatch } from './xml-batch.ts';
import { XmlDocument } from './xml-document.ts';
import { XmlElementEnd } from './xml-element-end.ts';
import { MarkupEnd, markupKind } from './xml-markup.ts';
import type { Namespaces } from './xml-record.ts';
import { RecordTags } from './xml-record-tags.ts';

const LINE_FEED = 0x0a;
const BLANK = 0x20;
const LESS_THAN = 0x3c;
const SLASH = 0x2f;

export class XmlScan {
  readonly #document: XmlDocument;
  readonly #text = new TextWindow();
  /** All bytes before this position are done. Open markup or an open element begins here. */
  #at = 0;
  #hasBegun = false;
  /** The markup that has begun and has not ended. */
  #markup: MarkupEnd | undefined;
  /** The open child of the root. */
  #element: { readonly end: XmlElementEnd; readonly isRecord: boolean } | undefined;
  #tags: RecordTags | undefined;
  readonly #batch = new XmlBatch(this.#text);

  /** Calls `begun` with the namespaces of the root. */
  constructor(begun: (namespaces: Namespaces) => void) {
    this.#document = new XmlDocument(begun);
  }

  /** Yields the batches that the chunk completes. Throws Refusal. */
  *advance(chunk: Uint8Array): Generator<Batch, void, undefined> {
    this.#text.add(chunk);
    while (this.#step()) if (this.#batch.isFull(this.#at)) yield* this.flush();
    if (this.#batch.isFull(this.#at)) yield* this.flush();
    this.#dropGap();
  }

  /** Yields the rest of the document. Throws Refusal if it is not complete. */
  *finish(): Generator<Batch, void, undefined> {
    yield* this.flush();
    if (this.#markup !== undefined || this.#at < this.#text.end) throw this.#refusal('it ends too early');
    this.#document.end(this.#text.lineAt(this.#at));
  }

  /** Yields the records that have ended. */
  *flush(): Generator<Batch, void, undefined> {
    const records = this.#batch.take();
    if (records === undefined) return;
    this.#dropGap();
    yield { ...records, form: 'xml', preamble: JSON.stringify(this.#document.namespaces) };
  }

  /** Handles the next piece. Returns false if it needs more bytes. */
  #step(): boolean {
    if (this.#element !== undefined) return this.#goOnInElement(this.#element.end, this.#element.isRecord);
    return this.#markup === undefined ? this.#beginMarkup() : this.#goOnInMarkup(this.#markup);
  }

  #beginMarkup(): boolean {
    const { bytes, end } = this.#text;
    let at = this.#at;
    while (at < end && isWhiteSpace(bytes[at]!)) at++;
    // White space before the declaration is a fault, and the parser must see it.
    if (at > this.#at && !this.#hasBegun) this.#document.add(' ', 1);
    this.#hasBegun = true;
    this.#at = at;
    if (at === end) return false;
    if (bytes[at] !== LESS_THAN) throw this.#refusal('text stands where only elements may');
    if (this.#takePlainRecord(at)) return true;
    const kind = markupKind(bytes, at, end);
    if (kind === undefined) return false;
    if (kind === 'declaration') throw this.#refusal('a DOCTYPE is not taken');
    if (kind === 'cdata') throw this.#refusal('text stands where only elements may');
    this.#markup = new MarkupEnd(kind);
    return true;
  }

  /** Takes a record whose tag is that of the last record, as most records do. The kernel finds the end of the record. */
  #takePlainRecord(at: number): boolean {
    const { bytes, end } = this.#text;
    const tag = this.#tags?.sameAgain(bytes, at, end);
    if (tag === undefined || bytes[at + tag.tagBytes - 2] === SLASH) return false;
    // After the root there are no records.
    if (!this.#document.isInRoot) return false;
    const next = this.#text.plainElementEnd(at + tag.tagBytes, tag.name);
    // The slow path refuses a record that is too long.
    if (next < 0 || next - at > BATCH_LIMITS.elementBytes) return false;
    this.#endRecord(next);
    return true;
  }

  #goOnInMarkup(markup: MarkupEnd): boolean {
    const next = this.#endOf(markup);
    if (next < 0) return false;
    this.#markup = undefined;
    if (markup.kind === 'start' && this.#document.isInRoot) this.#beginElement(next);
    else this.#toParser(next);
    return true;
  }

  #beginElement(tagEnd: number): void {
    const { bytes } = this.#text;
    const at = this.#at;
    this.#tags ??= new RecordTags(this.#document.namespaces!);
    const { isRecord, name } = this.#tags.look(bytes, at, tagEnd);
    const isEmpty = bytes[tagEnd - 2] === SLASH;
    this.#element = { isRecord, end: new XmlElementEnd(name, tagEnd - at, isEmpty) };
  }

  #goOnInElement(element: XmlElementEnd, isRecord: boolean): boolean {
    const next = this.#endOf(element);
    if (next < 0) return false;
    this.#element = undefined;
    if (isRecord) this.#endRecord(next);
    else this.#toParser(next);
    return true;
  }

  #endRecord(end: number): void {
    this.#batch.add(this.#at, end);
    this.#at = end;
  }

  #toParser(end: number): void {
    const { bytes } = this.#text;
    const at = this.#at;
    this.#document.add(bytes.toString('utf8', at, end), this.#text.lineAt(at));
    for (let i = at; i < end; i++) if (bytes[i] !== LINE_FEED) bytes[i] = BLANK;
    this.#at = end;
  }

  /** Returns the end of an open piece, or -1. Throws Refusal if it is too long. */
  #endOf(piece: { find(bytes: Buffer, at: number, end: number): number }): number {
    const at = this.#at;
    const next = piece.find(this.#text.bytes, at, this.#text.end);
    const { elementBytes } = BATCH_LIMITS;
    if ((next < 0 ? this.#text.end : next) - at <= elementBytes) return next;
    const line = this.#text.lineAt(at);
    const details = { field: 'line', value: null, line, index: this.#batch.nextIndex };
    const message = `line ${line}: must be at most ${elementBytes} bytes long`;
    throw new Refusal('VALIDATION_ERROR', message, { details });
  }

  /** Drops the text that is done. Does nothing while the batch has records, because these records are in that text. */
  #dropGap(): void {
    if (!this.#batch.isEmpty) return;
    this.#text.drop(this.#at);
    this.#at = 0;
  }

  #refusal(problem: string): Refusal {
    return malformed(`line ${this.#text.lineAt(this.#at)}: ${problem}`);
  }
}
