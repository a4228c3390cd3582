/** Reads CSV on the main thread: parses the header, and cuts the rest into batches of records. */
import { invalidField } from '../../../platform/refusal.ts';
import type { Batch } from '../fragment.ts';
import { CELL_FAULTS, CsvCells } from './csv-cells.ts';
import { columnsOf } from './csv-columns.ts';
import { readLines } from './read-lines.ts';

/** The header is limited, because every batch carries it. */
const MAX_HEADER_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BLANK = 0x20;

/** Throws Refusal for a faulty header before it reads a record. */
export async function* readCsv(text: AsyncIterable<Uint8Array>): AsyncGenerator<Batch, void, undefined> {
  const chunks = text[Symbol.asyncIterator]();
  try {
    const { names, lines, rest } = await takeHeader(chunks);
    columnsOf(names);
    const firstLine = lines + 1;
    yield* readLines(joined(rest, chunks), {
      form: 'csv',
      quotes: true,
      firstLine,
      preamble: JSON.stringify(names),
    });
  } finally {
    await chunks.return?.();
  }
}

interface Header {
  readonly names: readonly string[];
  /** The number of its lines, including blank ones before it. */
  readonly lines: number;
  /** The bytes after the header that have arrived. */
  readonly rest: Buffer;
}

async function takeHeader(chunks: AsyncIterator<Uint8Array>): Promise<Header> {
  const scan = new HeaderScan();
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    scan.add(next.value);
    if (scan.length > MAX_HEADER_BYTES) {
      throw invalidField('line', undefined, `must name the columns in at most ${MAX_HEADER_BYTES} bytes`);
    }
    if (scan.isDone) break;
  }
  return scan.take();
}

/** Follows quotes up to the line break that ends the first record. */
class HeaderScan {
  #bytes = Buffer.alloc(0);
  #at = 0;
  #isQuoted = false;
  #hasBegun = false;
  #lines = 0;
  isDone = false;

  get length(): number {
    return this.#hasBegun ? this.#at : 0;
  }

  add(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (; this.#at < this.#bytes.length && !this.isDone; this.#at++) this.#look(this.#bytes[this.#at]!);
    if (!this.#hasBegun) {
      this.#bytes = Buffer.alloc(0);
      this.#at = 0;
    }
  }

  take(): Header {
    const bytes = this.#bytes;
    const end = this.isDone ? this.#at - 1 : this.#at;
    return { names: namesIn(bytes.subarray(0, end)), lines: this.#lines, rest: bytes.subarray(this.#at) };
  }

  #look(byte: number): void {
    if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
    if (byte > BLANK) this.#hasBegun = true;
    if (byte !== LINE_FEED) return;
    this.#lines++;
    this.isDone = this.#hasBegun && !this.#isQuoted;
  }
}

function namesIn(header: Buffer): string[] {
  let commas = 0;
  for (const byte of header) if (byte === COMMA) commas++;
  const cells = new CsvCells(commas + 1);
  const start = header.findIndex((byte) => byte > BLANK);
  const fault = cells.split(header, Math.max(start, 0), header.length);
  const names = Array.from({ length: cells.count }, (_, i) => cells.textAt(i, header));
  if (fault === undefined) return names;
  throw invalidField(
    'line',
    header.toString(),
    `must name the columns; the name ${names.length} ${CELL_FAULTS[fault]}`,
  );
}

async function* joined(
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
}
