/** Rendered operations on the entries of a sitemap: an upsert has an entry, a removal has a URL. */
import { HASHES_BYTES } from '../../../core/sitemap/kernel-layout.ts';
import { joinBytes } from '../../../platform/join-bytes.ts';
import { locOfEntry } from '../../entries/fragment-of.ts';

/** Operations in their order, as columns. */
export interface Operations {
  readonly count: number;
  /** The kind of each operation. 1: removes its URL. 0: replaces the entries of its URL, or adds one. */
  readonly removes: Uint8Array<ArrayBuffer>;
  /** HASHES_BYTES for each operation, as for an entry (`core/sitemap/kernel-layout.ts`). */
  readonly hashes: Uint8Array<ArrayBuffer>;
  /** The XML of all operations, one after the other. The entry of a removal has only a `loc`. */
  readonly xml: Uint8Array<ArrayBuffer>;
  /** The end of each operation in `xml`. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

/**
 * Returns the hash of a `loc`. URLs with equal hashes count as one URL: the seed is secret, so clients cannot find two URLs with one hash.
 */
export function locHashOf({ hashes }: Pick<Operations, 'hashes'>, i: number): bigint {
  return new DataView(hashes.buffer, hashes.byteOffset).getBigUint64(i * HASHES_BYTES, true);
}

/** Returns the hash of all but the `loc` of an entry. */
export function restHashOf({ hashes }: Pick<Operations, 'hashes'>, i: number): number {
  return new DataView(hashes.buffer, hashes.byteOffset).getUint32(i * HASHES_BYTES + 8, true);
}

/** The memory for the copies of `wordsOf`. Fresh memory for each call costs more than the copy. */
let copied = new Uint8Array(0);

/**
 * Returns hashes as words of 32 bits, HASH_WORDS for each entry: the lower and the higher word of the hash of `loc`, then the hash of the
 * rest. Words must begin at a multiple of 4 bytes, so the result is often a copy. The next call overwrites the copy.
 */
export function wordsOf(hashes: Uint8Array): Uint32Array {
  const { buffer, byteOffset, length } = hashes;
  if (byteOffset % 4 === 0) return new Uint32Array(buffer, byteOffset, length / 4);
  if (copied.length < length) copied = new Uint8Array(length);
  copied.set(hashes);
  return new Uint32Array(copied.buffer, 0, length / 4);
}

export const HASH_WORDS = HASHES_BYTES / 4;

export function xmlOf({ xml, ends }: Pick<Operations, 'xml' | 'ends'>, i: number): Buffer<ArrayBuffer> {
  const from = i === 0 ? 0 : ends[i - 1]!;
  return Buffer.from(xml.buffer, xml.byteOffset + from, ends[i]! - from);
}

export const locOf = (operations: Operations, i: number) => locOfEntry(xmlOf(operations, i));

/** Returns the ends of parts with these lengths, which stand one after the other. */
export function endsOfParts(lengths: readonly number[]): Uint32Array<ArrayBuffer> {
  let end = 0;
  return Uint32Array.from(lengths, (length) => {
    end += length;
    return end;
  });
}

export function joinOperations(lists: readonly Operations[]): Operations {
  if (lists.length === 1) return lists[0]!;
  const count = lists.reduce((sum, list) => sum + list.count, 0);
  const ends = new Uint32Array(count);
  let [at, bytes] = [0, 0];
  for (const list of lists) {
    for (let i = 0; i < list.count; i++) ends[at++] = bytes + list.ends[i]!;
    bytes += list.xml.length;
  }
  return {
    count,
    removes: joinBytes(lists.map(({ removes }) => removes)),
    hashes: joinBytes(lists.map(({ hashes }) => hashes)),
    xml: joinBytes(lists.map(({ xml }) => xml)),
    ends,
  };
}
