/** Lists of URLs: small ones as objects, large ones as a stream of bytes. */
import { createHash } from 'node:crypto';

export interface PlainEntry {
  readonly loc: string;
  readonly lastmod?: string;
  readonly changefreq?: string;
  readonly priority?: number;
}

export function entryAt(index: number): PlainEntry {
  return { loc: `https://www.example.com/page/${index}` };
}

/** It hardly compresses: 1,000 of them make a file that is stored while the upload goes on. */
export function bulkyAt(index: number): PlainEntry {
  const path = createHash('sha256').update(String(index)).digest('hex');
  return { loc: `https://www.example.com/page/${path}` };
}

export function entries(count: number, make: (index: number) => object = entryAt): object[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A whole document in chunks of 1,000 entries. `members` come before `urls`. */
export function* uploadDocument(
  members: object,
  count: number,
  make: (index: number) => object = entryAt,
): Generator<Buffer> {
  yield Buffer.from(`${JSON.stringify(members).slice(0, -1)},"urls":[`);
  for (let from = 0; from < count; from += 1000) {
    const chunk = entries(Math.min(1000, count - from), (index) => make(from + index));
    yield Buffer.from((from === 0 ? '' : ',') + JSON.stringify(chunk).slice(1, -1));
  }
  yield Buffer.from(']}');
}

/** Cuts bytes into pieces of `size`. */
export function* inPieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
