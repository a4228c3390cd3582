/** Inflates a stored file into memory of a known size. */
import { gunzipSync } from 'node:zlib';
import { DamagedFile } from './entry-kernel.ts';

export interface InflatedFile extends Disposable {
  readonly bytes: Uint8Array;
}

/** Inflates `stored` to `bytes` of XML, and frees `stored`. Throws DamagedFile. Dispose of the result when it is read. */
export function inflateFile(stored: Uint8Array, { n, bytes }: { n: number; bytes: number }): InflatedFile {
  const xml = inflate(stored, n, bytes);
  free(stored);
  if (xml.length !== bytes) throw new DamagedFile(`file ${n} has ${xml.length} bytes instead of ${bytes}`);
  return { bytes: xml, [Symbol.dispose]: () => free(xml) };
}

function inflate(stored: Uint8Array, n: number, bytes: number): Buffer {
  try {
    // One chunk with a byte to spare, so zlib needs no second chunk.
    return gunzipSync(stored, { chunkSize: Math.max(64, bytes + 1), maxOutputLength: bytes });
  } catch (cause) {
    throw new DamagedFile(`file ${n} cannot be inflated to ${bytes} bytes`, { cause });
  }
}

/** A buffer of this size or more has memory of its own, outside Node's pool of small buffers. */
const OWN_MEMORY_BYTES = 128 * 1024;

/** Frees a buffer now: the garbage collector rarely runs in this thread, which makes few objects. */
function free({ buffer }: Uint8Array): void {
  if (buffer.byteLength >= OWN_MEMORY_BYTES) (buffer as ArrayBuffer).transfer(0);
}
