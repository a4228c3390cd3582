/** Inflates a stored file, or a fragment of it, into memory of a known size. */
import { constants, gunzipSync, inflateRawSync } from 'node:zlib';
import type { Fragment, FragmentPlace } from '../sites/fragment.ts';
import { DamagedFile } from './entry-kernel.ts';

export interface InflatedFile extends Disposable {
  readonly bytes: Uint8Array;
}

/** Inflates `stored` to `bytes` of XML, and frees `stored`. Throws DamagedFile. Dispose of the result after use. */
export function inflateFile(stored: Uint8Array, { n, bytes }: { n: number; bytes: number }): InflatedFile {
  const xml = inflated(n, bytes, (options) => gunzipSync(stored, options));
  free(stored);
  return xml;
}

/** Inflates the fragment that begins at `from` in `stored`, a part of file `n`. Throws DamagedFile. Dispose of the result. */
export function inflateFragment(
  stored: Uint8Array,
  from: number,
  { deflatedBytes, bytes }: Pick<FragmentPlace, 'deflatedBytes' | 'bytes'>,
  n: number,
): InflatedFile {
  const deflated = stored.subarray(from, from + deflatedBytes);
  return inflated(n, bytes, (options) => inflateRawSync(deflated, { ...options, ...PIECE_END }));
}

/** A fragment ends with a sync flush, and not with a final block. */
const PIECE_END = { finishFlush: constants.Z_SYNC_FLUSH };

/** The options of zlib for a fragment with so many bytes of XML: one chunk with a byte to spare, so zlib needs no second chunk. */
export const pieceOptions = (bytes: number) => ({
  chunkSize: Math.max(64, bytes + 1),
  maxOutputLength: Math.max(1, bytes),
  ...PIECE_END,
});

/** Inflates a fragment that is in memory. Throws DamagedFile. */
export function inflatePiece({ deflated, bytes }: Pick<Fragment, 'deflated' | 'bytes'>): Buffer<ArrayBuffer> {
  try {
    return inflateRawSync(deflated, pieceOptions(bytes));
  } catch (cause) {
    throw new DamagedFile('a fragment cannot be inflated', { cause });
  }
}

function inflated(
  n: number,
  bytes: number,
  inflate: (options: { chunkSize: number; maxOutputLength: number }) => Buffer,
): InflatedFile {
  let xml: Buffer;
  try {
    // The chunk has a byte to spare, so zlib needs no second chunk.
    xml = inflate({ chunkSize: Math.max(64, bytes + 1), maxOutputLength: bytes });
  } catch (cause) {
    throw new DamagedFile(`file ${n} cannot be inflated to ${bytes} bytes`, { cause });
  }
  if (xml.length !== bytes) throw new DamagedFile(`file ${n} has ${xml.length} bytes instead of ${bytes}`);
  return { bytes: xml, [Symbol.dispose]: () => free(xml) };
}

/** Frees a buffer now. In a thread that makes few objects, the garbage collector runs late. */
export function free({ buffer }: Uint8Array): void {
  // A smaller buffer may be a part of Node's pool.
  if (buffer.byteLength > Buffer.poolSize) (buffer as ArrayBuffer).transfer(0);
}
