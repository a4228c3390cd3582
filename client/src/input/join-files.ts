/**
 * Joins several files to one input, in order. Later CSV files must repeat the header of the first file, unless they have none. The repeated
 * header is dropped, and so is all that stands before it, or before the first record: lines to skip, blank lines, and a line like `sep=;`.
 */
import { badInput } from '../waypost-error.ts';

export interface Part {
  readonly name: string;
  read(): AsyncIterable<Uint8Array>;
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const MAX_HEADER_BYTES = 1024 * 1024;

/** How CSV files begin. */
export interface CsvBeginning {
  readonly hasHeader: boolean;
  /** Whether a name in the header may be in quotes, and have a line feed. */
  readonly hasQuotes: boolean;
  /** The number of lines before the header, or before the first record. */
  readonly skipLines: number;
}

/** `parts`: the last line of each part may lack a line break. `csv`: undefined for other forms. */
export async function* joinFiles(
  parts: readonly Part[],
  csv: CsvBeginning | undefined,
): AsyncGenerator<Uint8Array> {
  let header: string | undefined;
  for (const [index, part] of parts.entries()) {
    const pieces = headFirst(part, csv);
    const head = (await pieces.next()).value ?? Buffer.alloc(0);
    if (csv?.hasHeader) {
      const own = head.subarray(beginOfTable(head, csv.skipLines)).toString().trimEnd();
      if (own === '') throw badInput(`${part.name} has no header.`);
      header ??= own;
      if (header !== own) throw differentHeader(part, parts[0]!);
    }
    let last: number | undefined = head.at(-1) ?? LINE_FEED;
    if (index === 0) yield head;
    else if (csv === undefined) yield withoutMark(head);
    else if (!csv.hasHeader) yield head.subarray(beginOfTable(head, csv.skipLines));
    for await (const piece of pieces) {
      last = piece.at(-1) ?? last;
      yield piece;
    }
    if (last !== LINE_FEED) yield Buffer.from('\n');
  }
}

/** Yields all up to the end of the header or of the first line first, as a separate piece. For other forms than CSV, yields the first bytes. */
async function* headFirst(
  part: Part,
  csv: CsvBeginning | undefined,
): AsyncGenerator<Buffer, void, undefined> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of part.read()) {
    if (head === undefined) {
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end: number = csv === undefined ? Math.min(head.length, 3) : endOfFirst(head, csv);
    // A byte order mark has three bytes.
    if (end === 0 || (csv === undefined && end < 3)) {
      if (head.length > MAX_HEADER_BYTES) throw badInput(`The header of ${part.name} has no end.`);
      continue;
    }
    yield head.subarray(0, end);
    if (end < head.length) yield head.subarray(end);
    head = undefined;
  }
  if (head !== undefined) yield head;
}

/** A line that names the separator to spreadsheets. */
const SEPARATOR_LINE = /^"?sep=[,;\t|]"?$/i;

/** Returns the position after all that stands before a table. If not all of that has come yet, returns the position of its last line. */
function beginOfTable(bytes: Buffer, skipLines: number): number {
  let begin = bytes.length - withoutMark(bytes).length;
  for (let skipped = 0; ; skipped++) {
    const end = bytes.indexOf(LINE_FEED, begin) + 1;
    if (end === 0) return begin;
    const line = bytes.toString('utf8', begin, end).trim();
    if (skipped >= skipLines && line !== '' && !SEPARATOR_LINE.test(line)) return begin;
    begin = end;
  }
}

/** The position after the line feed of the header or of the first line, or 0 if the line feed has not come yet. */
function endOfFirst(bytes: Buffer, { hasHeader, hasQuotes, skipLines }: CsvBeginning): number {
  const begin = beginOfTable(bytes, skipLines);
  // Values may have single quotes, as in 27".
  if (!hasHeader || !hasQuotes) return bytes.indexOf(LINE_FEED, begin) + 1;
  let isQuoted = false;
  for (let at = begin; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) isQuoted = !isQuoted;
    else if (bytes[at] === LINE_FEED && !isQuoted) return at + 1;
  }
  return 0;
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? bytes.subarray(3) : bytes;
}

function differentHeader(part: Part, first: Part) {
  return badInput(
    `The header of ${part.name} differs from that of ${first.name}. Pieces of one file are joined first: cat … | waypost upload - --form csv`,
  );
}
