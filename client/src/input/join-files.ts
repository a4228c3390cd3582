/** Joins several files to one input, in order. Later CSV files must repeat the header of the first file. The repeated header is dropped. */
import { badInput } from '../waypost-error.ts';

export interface Part {
  readonly name: string;
  read(): AsyncIterable<Uint8Array>;
}

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const MAX_HEADER_BYTES = 1024 * 1024;

/** `parts`: the last line of each part may lack a line break. `hasHeader`: each part begins with a header. */
export async function* joinFiles(parts: readonly Part[], hasHeader: boolean): AsyncGenerator<Uint8Array> {
  let header: string | undefined;
  for (const [index, part] of parts.entries()) {
    const pieces = headFirst(part, hasHeader);
    const head = (await pieces.next()).value ?? Buffer.alloc(0);
    const own = withoutMark(head);
    if (hasHeader) {
      if (own.length === 0) throw badInput(`${part.name} is empty: it has no header.`);
      header ??= own.toString().trimEnd();
      if (header !== own.toString().trimEnd()) throw differentHeader(part, parts[0]!);
    }
    let last: number | undefined = head.at(-1) ?? LINE_FEED;
    if (index === 0) yield head;
    else if (!hasHeader) yield own;
    for await (const piece of pieces) {
      last = piece.at(-1) ?? last;
      yield piece;
    }
    if (last !== LINE_FEED) yield Buffer.from('\n');
  }
}

/** Yields the header first, as a separate piece. For a form without a header, yields the first bytes. */
async function* headFirst(part: Part, hasHeader: boolean): AsyncGenerator<Buffer, void, undefined> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of part.read()) {
    if (head === undefined) {
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end: number = hasHeader ? endOfHeader(head) : Math.min(head.length, 3);
    // A byte order mark has three bytes.
    if (end === 0 || (!hasHeader && end < 3)) {
      if (head.length > MAX_HEADER_BYTES) throw badInput(`The header of ${part.name} has no end.`);
      continue;
    }
    yield head.subarray(0, end);
    if (end < head.length) yield head.subarray(end);
    head = undefined;
  }
  if (head !== undefined) yield head;
}

/** The position after the header's line feed, or 0 if the line feed has not come yet. */
function endOfHeader(bytes: Buffer): number {
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) isQuoted = !isQuoted;
    else if (bytes[at] === LINE_FEED && !isQuoted) return at + 1;
  }
  return 0;
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? bytes.subarray(3) : bytes;
}

function differentHeader(part: Part, first: Part) {
  return badInput(`The header of ${part.name} differs from that of ${first.name}.`);
}
