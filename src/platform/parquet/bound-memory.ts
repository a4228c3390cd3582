/** Sets a limit of memory for a WebAssembly module whose file has no limit. Growth beyond the limit fails inside the module. */

const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
export const WASM_PAGE_BYTES = 65_536;

/**
 * Returns the module of `wasm` with at most `maxPages` pages of memory. The module must have one memory, without a limit (WebAssembly Core
 * Specification 1.0, sections 5.3.5 and 5.5.8).
 */
export function boundMemory(wasm: Uint8Array, maxPages: number): Buffer<ArrayBuffer> {
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
