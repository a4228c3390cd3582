/**
 * Opens a Parquet file, and reads it by row groups. Runs in a thread of its own, because a damaged file may end the thread with an error
 * that no promise reports. The memory of the WebAssembly module has a limit, so a file that claims to be huge ends the thread in the same
 * way.
 */
import { readFileSync } from 'node:fs';
import { initSync, ParquetFile, wasmMemory } from 'parquet-wasm/esm';
import { type ArrowArray, type ArrowField, ArrowMemory, readArray, readField } from './arrow.ts';

/** Room for decompressed pages and one batch of rows. A row group of usual files takes a fifth of it. */
const MAX_MEMORY_BYTES = 192 * 1024 * 1024;
/** The rows of a batch of Arrow. All of them are in memory at once. */
const BATCH_ROWS = 5000;

export type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

export interface ParquetRows {
  readonly memory: ArrowMemory;
  readonly length: number;
  /** Returns a column by its name. It is valid until the next rows are asked for. */
  columnOf(name: string): ArrowArray;
}

export type ChosenColumns = ReturnType<Awaited<ReturnType<typeof openParquet>>['choose']>;

let hasModule = false;

/** `bytes`: the length of the file. The caller disposes of the result, because a thread reads many files with the same memory. */
export async function openParquet(bytes: number, read: ReadRange) {
  if (!hasModule) {
    const wasm = readFileSync(new URL(import.meta.resolve('parquet-wasm/esm/parquet_wasm_bg.wasm')));
    initSync({ module: new WebAssembly.Module(boundMemory(wasm, MAX_MEMORY_BYTES / WASM_PAGE_BYTES)) });
    hasModule = true;
  }
  let isOpen = false;
  const readPlain: ReadRange = async (start, end) => {
    const range = await read(start, end);
    if (!isOpen) hideArrowTypes(range);
    return range;
  };
  const file = await ParquetFile.fromFile(new RangedFile(readPlain, 0, bytes) as unknown as Blob);
  isOpen = true;
  const metadata = file.metadata();
  const schema = file.schema().intoFFI();
  const { children: columns } = readField(memoryNow(), schema.addr());
  schema.free();
  return {
    columns,
    rowGroups: metadata.numRowGroups(),
    /** Chooses the columns to read. */
    choose(chosen: readonly string[]) {
      const names = namesToRead(chosen, columns);
      const read = names && new Set(names);
      return {
        /** Returns the compressed bytes of a row group in the columns that are read for the chosen ones. */
        groupBytes(group: number): number {
          const rowGroup = metadata.rowGroup(group);
          let sum = 0;
          for (const column of rowGroup.columns()) {
            if (read?.has(column.columnPath()[0]!) ?? true) sum += column.compressedSize();
            column.free();
          }
          rowGroup.free();
          return sum;
        },
        /** Yields the rows of a row group, with at least the chosen columns. */
        async *rowsOf(group: number): AsyncGenerator<ParquetRows, void, undefined> {
          const options = {
            rowGroups: [group],
            batchSize: BATCH_ROWS,
            ...(names && { columns: [...names] }),
          };
          for await (const batch of await file.stream(options)) {
            const length = batch.numRows;
            const rows = batch.intoFFI();
            const memory = memoryNow();
            const { children: fields } = readField(memory, rows.schemaAddr());
            const { children: arrays } = readArray(memory, rows.arrayAddr());
            try {
              yield {
                memory,
                length,
                columnOf: (name: string) => arrays[fields.findIndex((field) => field.name === name)]!,
              };
            } finally {
              rows.free();
            }
          }
        },
      };
    },
    // The garbage collector frees these objects, too, but does not see that the memory of the module is full.
    [Symbol.dispose](): void {
      metadata.free();
      file.free();
    },
  };
}

/**
 * Returns the names to give to the module, or undefined if it must read all columns. If a name is the beginning of a longer name, or of the
 * path of a list, the module takes its number of bytes for a number of characters. So it misses such a name that is not ASCII, or fails.
 */
function namesToRead(
  chosen: readonly string[],
  columns: readonly ArrowField[],
): readonly string[] | undefined {
  const isFound = (name: string) =>
    /^[\0-\x7f]*$/.test(name) ||
    columns.every((other) =>
      other.name === name ? other.children.length === 0 : !other.name.startsWith(name),
    );
  return chosen.every(isFound) ? chosen : undefined;
}

/**
 * Programs that write Parquet store under this key which Arrow types the values had in their memory, such as views, dictionaries, and lists
 * of one length. If the module finds the key, it gives the columns these types, each in a layout of its own. Without the key, the columns
 * have the few types of Parquet.
 */
const ARROW_TYPES = 'ARROW:schema';

/** Changes the first letter of the key in a footer, so that the module does not find the key. */
function hideArrowTypes({ buffer, byteOffset, length }: Uint8Array): void {
  const footer = Buffer.from(buffer, byteOffset, length);
  for (let at = footer.indexOf(ARROW_TYPES); at >= 0; at = footer.indexOf(ARROW_TYPES, at)) footer[at] = 0x2d;
}

/** Returns a new view, because the module moves its memory when it grows. */
function memoryNow(): ArrowMemory {
  return new ArrowMemory(wasmMemory().buffer as ArrayBuffer);
}

/** The members of a Blob that the module needs. */
class RangedFile {
  readonly #read: ReadRange;
  readonly #start: number;
  readonly size: number;

  constructor(read: ReadRange, start: number, end: number) {
    this.#read = read;
    this.#start = start;
    this.size = end - start;
  }

  slice(start: number, end: number): RangedFile {
    // The footer says where the columns are, and a hostile footer lies.
    if (!(start >= 0 && start <= end && end <= this.size)) throw new Error('a column is not within the file');
    return new RangedFile(this.#read, this.#start + start, this.#start + end);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = await this.#read(this.#start, this.#start + this.size);
    return bytes.buffer as ArrayBuffer;
  }
}

const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const WASM_PAGE_BYTES = 65_536;

/**
 * Returns the module of `wasm` with at most `maxPages` pages of memory. The module must have one memory, without a limit (WebAssembly Core
 * Specification 1.0, sections 5.3.5 and 5.5.8).
 */
function boundMemory(wasm: Uint8Array, maxPages: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(wasm.buffer, wasm.byteOffset, wasm.byteLength);
  for (let at = HEADER_BYTES; at < bytes.length; ) {
    const start = at;
    const id = bytes[at]!;
    const [length, content] = readNumber(bytes, at + 1);
    at = content + length;
    if (id !== MEMORY_SECTION) continue;
    const [memories, first] = readNumber(bytes, content);
    const [hasLimit, minAt] = readNumber(bytes, first);
    if (memories !== 1 || hasLimit !== 0) break;
    const section = [1, 1, ...bytes.subarray(minAt, at), ...numberBytes(maxPages)];
    const head = [MEMORY_SECTION, ...numberBytes(section.length)];
    return Buffer.concat([
      bytes.subarray(0, start),
      Uint8Array.from([...head, ...section]),
      bytes.subarray(at),
    ]);
  }
  throw new Error('the module has no memory without a limit');
}

/** Reads an unsigned LEB128 number. Returns the number and the position after it. */
function readNumber(bytes: Uint8Array, from: number): [number, number] {
  let value = 0;
  for (let at = from, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at + 1];
  }
}

function numberBytes(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberBytes(value >>> 7)];
}
