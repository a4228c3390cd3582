/**
 * Reads the columns of a batch where WebAssembly has them, without a copy, by the C data interface of Arrow
 * (arrow.apache.org/docs/format/CDataInterface.html), with the layouts of a machine of 32 bits. All positions are addresses in the memory of
 * the module. The results are valid until the module runs again.
 */

export interface ArrowField {
  readonly name: string;
  /** The format string of the interface, as in `u` or `tsu:UTC`. */
  readonly format: string;
  readonly children: readonly ArrowField[];
}

export interface ArrowArray {
  /** The number of values before the first one, in each buffer. */
  readonly offset: number;
  /**
   * The positions of the buffers. The first buffer has a bit for each value, which says whether the value is present. If the position of the
   * first buffer is 0, all values are present.
   */
  readonly buffers: readonly number[];
  readonly children: readonly ArrowArray[];
}

/** Reads numbers in the memory of the module. */
export class ArrowMemory {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly view: DataView<ArrayBuffer>;

  constructor(memory: ArrayBuffer) {
    this.bytes = Buffer.from(memory);
    this.view = new DataView(memory);
  }

  pointer(at: number): number {
    return this.view.getUint32(at, true);
  }

  /** Reads a length or a position of 64 bits. Both are small enough for a number. */
  size(at: number): number {
    return Number(this.view.getBigInt64(at, true));
  }

  pointers(at: number, count: number): number[] {
    return Array.from({ length: count }, (_, i) => this.pointer(at + 4 * i));
  }
}

/** `at`: the address of an `ArrowSchema`. */
export function readField(memory: ArrowMemory, at: number): ArrowField {
  return {
    format: textAt(memory, memory.pointer(at)),
    name: textAt(memory, memory.pointer(at + 4)),
    children: memory
      .pointers(memory.pointer(at + 32), memory.size(at + 24))
      .map((child) => readField(memory, child)),
  };
}

/** `at`: the address of an `ArrowArray`. */
export function readArray(memory: ArrowMemory, at: number): ArrowArray {
  return {
    offset: memory.size(at + 16),
    buffers: memory.pointers(memory.pointer(at + 40), memory.size(at + 24)),
    children: memory
      .pointers(memory.pointer(at + 44), memory.size(at + 32))
      .map((child) => readArray(memory, child)),
  };
}

/** The text ends with a byte 0. */
function textAt({ bytes }: ArrowMemory, at: number): string {
  return at === 0 ? '' : bytes.toString('utf8', at, bytes.indexOf(0, at));
}
