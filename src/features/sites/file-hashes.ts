/**
 * The hashes of a stored file's entries, in an object beside the file. A comparison reads the hashes and not the file. If the hashes are
 * missing or damaged, a comparison reads the file (docs/decisions/0054). All numbers are little-endian:
 *
 * ```
 * u32 × 2    FORM · CRC-32 of all that follows
 * u64        seed of the hashes
 * u32 × 4    entries · fragments · bytes of the origin · where the first fragment begins in the gzip file
 * u32 × 6    for each fragment: deflated bytes · bytes of its XML · their CRC-32 · entries · news entries · namespaces
 * origin     of all entries
 * hashes     HASHES_BYTES for each entry, in order (core/sitemap/kernel-layout.ts)
 * ```
 */
import { hkdfSync } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { HASHES_BYTES } from '../../core/sitemap/kernel-layout.ts';
import type { Secret } from '../../platform/secret.ts';
import type { FragmentPlace } from './fragment.ts';

/** Files with fewer entries have no hashes, because to store another object costs more than to read the file. */
export const MIN_HASHED_ENTRIES = 10_000;

/** The form of the object. Change it also when the hash function changes (`kernels/entry-hash.ts`). */
const FORM = 0x32485057;
/** The CRC-32 covers all bytes from here on. */
const SUMMED_FROM = 8;
const HEAD_BYTES = 32;
const FRAGMENT_BYTES = 24;

/** Derives the seed of the hashes of entries. Hashes of entries under different secrets cannot be compared. */
export function deriveHashSeed(secret: Secret): bigint {
  const seed = hkdfSync('sha256', secret.reveal(), '', 'waypost entry hashes', 8);
  return new DataView(seed).getBigUint64(0);
}

export interface FileHashes {
  /** The seed of the hashes. Only hashes with the same seed can be compared. The seed is stored for processes without the secret. */
  readonly seed: bigint;
  readonly entries: number;
  readonly origin: string;
  /** The place in the gzip file where the first fragment begins, in bytes. */
  readonly firstFragmentAt: number;
  readonly fragments: readonly FragmentPlace[];
  /** HASHES_BYTES for each entry, in the order of the file. */
  readonly hashes: Uint8Array;
}

/** The most bytes of the object of a file with so many entries. It has room for 2,700 fragments, and for one more for each 240 entries. */
export const hashesRoom = (entries: number) => HASHES_BYTES * entries + Math.ceil(entries / 10) + 65_536;

/** Returns the object in parts. `hashes`: the hashes of each fragment. They are the last parts. */
export function writeFileHashes(
  { seed, origin, firstFragmentAt, fragments }: Omit<FileHashes, 'entries' | 'hashes'>,
  hashes: readonly Uint8Array[],
): Uint8Array[] {
  const text = Buffer.from(origin);
  const head = Buffer.alloc(HEAD_BYTES + FRAGMENT_BYTES * fragments.length);
  const entries = fragments.reduce((sum, fragment) => sum + fragment.entries, 0);
  head.writeUInt32LE(FORM, 0);
  head.writeBigUInt64LE(seed, 8);
  const numbers = [entries, fragments.length, text.length, firstFragmentAt];
  const ofFragments = fragments.flatMap((fragment) => [
    fragment.deflatedBytes,
    fragment.bytes,
    fragment.crc,
    fragment.entries,
    fragment.newsEntries,
    fragment.namespaces,
  ]);
  for (const [i, number] of [...numbers, ...ofFragments].entries()) head.writeUInt32LE(number, 16 + 4 * i);
  const summed = [head.subarray(SUMMED_FROM), text, ...hashes];
  const sum = summed.reduce((crc, part) => crc32(part, crc), 0);
  head.writeUInt32LE(sum, 4);
  return [head, text, ...hashes];
}

/** Returns undefined if the object is damaged, or if it has another form or another number of entries. */
export function readFileHashes(bytes: Uint8Array, entries: number): FileHashes | undefined {
  const object = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (object.length < HEAD_BYTES || object.readUInt32LE(0) !== FORM) return undefined;
  if (crc32(object.subarray(SUMMED_FROM)) !== object.readUInt32LE(4)) return undefined;
  const fragmentCount = object.readUInt32LE(20);
  const originAt = HEAD_BYTES + FRAGMENT_BYTES * fragmentCount;
  const hashesAt = originAt + object.readUInt32LE(24);
  if (object.readUInt32LE(16) !== entries || object.length !== hashesAt + HASHES_BYTES * entries)
    return undefined;
  const fragments = Array.from({ length: fragmentCount }, (_, i) => {
    const number = (word: number) => object.readUInt32LE(HEAD_BYTES + i * FRAGMENT_BYTES + 4 * word);
    return {
      deflatedBytes: number(0),
      bytes: number(1),
      crc: number(2),
      entries: number(3),
      newsEntries: number(4),
      namespaces: number(5),
    };
  });
  if (fragments.reduce((sum, fragment) => sum + fragment.entries, 0) !== entries) return undefined;
  return {
    seed: object.readBigUInt64LE(8),
    entries,
    origin: object.toString('utf8', originAt, hashesAt),
    firstFragmentAt: object.readUInt32LE(28),
    fragments,
    hashes: object.subarray(hashesAt),
  };
}
