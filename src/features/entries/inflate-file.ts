/** Inflates a stored file, or a fragment of it, into memory of a known size. */
import { constants, gunzipSync, inflateRawSync } from 'node:zlib';
import type { Fragment, FragmentPlace } from '../sites/fragment.ts';
import { DamagedFile } from './entry-kernel.ts';

export interface InflatedFile extends Disposable {
  readonly bytes: Uint8Array;
}

/** Inflates file `n` to `bytes` bytes of XML, and frees `stored`. Throws DamagedFile. Dispose of the result after use. */
export function inflateFile(stored: Uint8Array, { n, bytes }: { n: number; bytes: number }): InflatedFile {
  const xml = inflated(n, bytes, () => gunzipSync(stored, sizeOptions(bytes)));
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
  return inflated(n, bytes, () => inflateRawSync(deflated, pieceOptions(bytes)));
}

/** The options of zlib for XML of this length. The chunk has a byte to spare, so zlib needs no second chunk. */
const sizeOptions = (bytes: number) => ({
  chunkSize: Math.max(64, bytes + 1),
  maxOutputLength: Math.max(1, bytes),
});

/** The options of zlib for a fragment with XML of this length. A fragment ends with a sync flush, and not with a final block. */
export const pieceOptions = (bytes: number) => ({
  ...sizeOptions(bytes),
  finishFlush: constants.Z_SYNC_FLUSH,
});

/** Inflates a fragment that is in memory. Throws DamagedFile. */
export function inflatePiece({ deflated, bytes }: Pick<Fragment, 'deflated' | 'bytes'>): Buffer<ArrayBuffer> {
  try {
    return inflateRawSync(deflated, pieceOptions(bytes));
  } catch (cause) {
    throw new DamagedFile('a fragment cannot be inflated', { cause });
  }
}

function inflated(n: number, bytes: number, inflate: () => Buffer): InflatedFile {
  let xml: Buffer;
  try {
    xml = inflate();
  } catch (cause) {
    throw new DamagedFile(`file ${n} cannot be inflated to ${bytes} bytes`, { cause });
  }
  if (xml.length !== bytes) throw new DamagedFile(`file ${n} has ${xml.length} bytes instead of ${bytes}`);
  return { bytes: xml, [Symbol.dispose]: () => free(xml) };
}

/** Frees a buffer at once, because in a thread that makes few objects the garbage collector runs late. */
export function free({ buffer }: Uint8Array): void {
  // A smaller buffer may be a part of Node's pool.
  if (buffer.byteLength > Buffer.poolSize) (buffer as ArrayBuffer).transfer(0);
}
