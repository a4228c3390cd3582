/** Takes the first record of a CSV body: the header, or the first entry if the body has no header. */
import { malformed } from '../../../platform/json/json-syntax.ts';
import { invalidField } from '../../../platform/refusal.ts';
import { syntaxOf } from './csv-cells.ts';
import { DELIMITERS, type Dialect } from './dialect.ts';

/** The header is limited, because every batch carries it. */
const MAX_HEADER_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const BLANK = 0x20;
const BACKSLASH = 0x5c;
const DOUBLE_RETURN = Buffer.from('\r\r');

/**
 * Takes the first record after the lines to skip and after blank lines. If the body has no header, this record is an entry. Of an entry
 * longer than MAX_HEADER_BYTES, takes only the beginning. Throws Refusal.
 */
export async function takeFirstRecord(chunks: AsyncIterator<Uint8Array>, dialect: Dialect) {
  const scan = new FirstRecordScan(dialect);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    scan.add(next.value);
    if (scan.isDone || scan.length > MAX_HEADER_BYTES) break;
  }
  if (scan.hasDoubleReturns) {
    throw malformed(
      "its lines end in CR CR LF, as Python writes them on Windows: open the file with newline=''",
    );
  }
  if (scan.hasLoneReturns) {
    throw malformed(
      'its lines end in CR alone, as old programs for the Mac write them: save it as CSV UTF-8',
    );
  }
  const isEntry = dialect.header === false && !scan.isSkipping;
  if (scan.length > MAX_HEADER_BYTES && !isEntry) {
    throw invalidField('line', undefined, `must name the columns in at most ${MAX_HEADER_BYTES} bytes`);
  }
  return scan.take();
}

/** Values of `#before` that are no byte. */
const BEGINNING = -1;
const CLOSING_QUOTE = -2;
const ESCAPED = -3;

/**
 * Finds the line break that ends the record. A line break in quotes belongs to the record, and so does one behind a backslash with
 * `escape=backslash`. A quote begins a quoted text only where a cell begins, or behind a closing quote, as in the later records.
 */
class FirstRecordScan {
  #bytes = Buffer.alloc(0);
  #at = 0;
  #start = 0;
  #skipLines: number;
  #isQuoted = false;
  #hasBegun = false;
  readonly #hasEscapes: boolean;
  readonly #hasQuotes: boolean;
  #delimiters: readonly number[];
  #before = BEGINNING;
  #lines = 0;
  #beforeLines = 0;
  #separator: number | undefined;
  isDone = false;
  /** Whether a carriage return outside quotes stands alone. */
  hasLoneReturns = false;

  constructor(dialect: Dialect) {
    const { skipLines = 0, delimiter, header: hasHeader = true } = dialect;
    const { hasEscapes, hasQuotes } = syntaxOf(dialect);
    this.#skipLines = skipLines;
    this.#hasEscapes = hasEscapes;
    this.#hasQuotes = hasQuotes;
    // Only a header tells an unknown delimiter. Without a header, the delimiter is a comma.
    const known = delimiter ?? (hasHeader ? undefined : DELIMITERS.comma);
    this.#delimiters = known === undefined ? Object.values(DELIMITERS) : [known];
  }

  get length(): number {
    return this.#at - this.#start;
  }

  /** Whether the bytes belong to a line to skip. */
  get isSkipping(): boolean {
    return this.#skipLines > 0;
  }

  get hasDoubleReturns(): boolean {
    return this.isDone && this.#recordBytes.subarray(-2).equals(DOUBLE_RETURN);
  }

  add(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#start), chunk]);
    this.#at -= this.#start;
    this.#start = 0;
    for (; this.#at < this.#bytes.length && !this.isDone; this.#at++) this.#look(this.#bytes[this.#at]!);
  }

  take() {
    return {
      /** The bytes of the record, without blank lines before it and without the line break after it. */
      bytes: this.#recordBytes,
      /** Whether all lines after the lines to skip are blank. */
      isBlank: !this.#hasBegun,
      /** The number of lines up to the end of the record. */
      lines: this.#lines,
      /** The byte that a line before the record names, as in `sep=;`. */
      separator: this.#separator,
      /** The bytes after the record that have arrived. */
      rest: this.#bytes.subarray(this.#at),
      /** The bytes of the record, and all bytes after it that have arrived. */
      withRest: this.#bytes.subarray(this.#start),
      /** The number of lines before the record. */
      beforeLines: this.#beforeLines,
    };
  }

  get #recordBytes(): Buffer {
    return this.#bytes.subarray(this.#start, this.isDone ? this.#at - 1 : this.#at);
  }

  #look(byte: number): void {
    const isEscaped = this.#hasEscapes && this.#before === BACKSLASH;
    if (this.#skipLines === 0) {
      const isAlone = this.#before === CARRIAGE_RETURN && byte !== LINE_FEED && byte !== CARRIAGE_RETURN;
      this.hasLoneReturns ||= isAlone && !this.#isQuoted;
      this.#before = isEscaped ? ESCAPED : this.#passed(byte);
      if (byte > BLANK) this.#hasBegun = true;
    }
    if (byte !== LINE_FEED) return;
    this.#lines++;
    if (this.#isQuoted || isEscaped) return;
    this.#before = BEGINNING;
    const separator =
      this.#skipLines === 0 ? separatorIn(this.#bytes.subarray(this.#start, this.#at)) : undefined;
    this.isDone = this.#hasBegun && separator === undefined;
    if (this.isDone) return;
    this.#separator ??= separator;
    if (separator !== undefined) this.#delimiters = [separator];
    this.#hasBegun = false;
    this.#skipLines = Math.max(0, this.#skipLines - 1);
    this.#start = this.#at + 1;
    this.#beforeLines = this.#lines;
  }

  /** Takes a byte that is not escaped. Returns `#before` for the next byte. */
  #passed(byte: number): number {
    if (byte !== QUOTE || !this.#hasQuotes) return byte;
    if (this.#isQuoted) {
      this.#isQuoted = false;
      return CLOSING_QUOTE;
    }
    const mayOpen =
      this.#before === BEGINNING || this.#before === CLOSING_QUOTE || this.#delimiters.includes(this.#before);
    this.#isQuoted = mayOpen;
    return byte;
  }
}

/** Returns the separator of a line like `sep=;`, which names the separator to spreadsheets. */
function separatorIn(line: Buffer): number | undefined {
  if (line.length > '"sep=;"\r'.length) return undefined;
  return /^"?sep=([,;\t|])"?\r?$/i.exec(line.toString('latin1'))?.[1]?.charCodeAt(0);
}
