/**
 * Stitches one gzip member (RFC 1952) from pieces that were deflated independently. A piece is raw deflate (RFC 1951) that refers to no
 * earlier bytes. Each piece but the last one ends with a sync flush, on a byte boundary, so pieces can stand one after the other. Only the
 * last piece has a final block.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Deflated bytes, with the length and checksum that stitching needs. */
export interface DeflatedPiece {
  readonly deflated: Uint8Array<ArrayBuffer>;
  /** Length before compression. */
  readonly bytes: number;
  /** CRC-32 before compression. */
  readonly crc: number;
}

/** The level of deflate. Level 1 is three times as fast as level 6, and makes our XML at most 20 % longer (docs/decisions/0003). */
const LEVEL = 1;

/** Precedes the first piece. The fields are: magic, deflate, no flags, no time, no extra flags, unknown system. */
export const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

export function deflatePiece(bytes: Uint8Array, level = LEVEL): DeflatedPiece {
  return compress(bytes, constants.Z_SYNC_FLUSH, level);
}

export function deflateLastPiece(bytes: Uint8Array): DeflatedPiece {
  return compress(bytes, constants.Z_FINISH, LEVEL);
}

function compress(bytes: Uint8Array, finishFlush: number, level: number): DeflatedPiece {
  const deflated = deflateRawSync(bytes, { level, finishFlush });
  return { deflated: deflated as Buffer<ArrayBuffer>, bytes: bytes.length, crc: crc32(bytes) };
}

/** Returns the parts of the member, to be written in order. The last piece must come from `deflateLastPiece`. */
export function stitchGzip(pieces: readonly DeflatedPiece[]): Uint8Array[] {
  return [GZIP_HEADER, ...pieces.map((piece) => piece.deflated), gzipTrailer(pieces)];
}

/** Returns the trailer, which follows the last piece. Only the length and the checksum of each piece are needed. */
export function gzipTrailer(pieces: readonly Pick<DeflatedPiece, 'bytes' | 'crc'>[]): Buffer {
  let crc = 0;
  let bytes = 0;
  for (const piece of pieces) {
    crc = combineCrc32(crc, piece.crc, piece.bytes);
    bytes += piece.bytes;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(bytes % 2 ** 32, 4);
  return trailer;
}

export const GZIP_HEADER_BYTES = GZIP_HEADER.length;

/** A linear map over GF(2). Element i is the image of bit i. */
type BitMap = Uint32Array;

/** The reflected polynomial of CRC-32 (RFC 1952, section 8). */
const POLYNOMIAL = 0xedb88320;

/**
 * Returns the CRC-32 of two concatenated pieces, by the method of zlib's crc32_combine. To append zero bytes is a linear map over GF(2) on
 * the CRC. So to append `length` zero bytes is the product of the maps for the powers of two in `length`.
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  let crc = first;
  for (let power = 0, length = secondLength; length > 0; power++, length = Math.floor(length / 2)) {
    if (length % 2 === 1) crc = apply(appendZeroBytes(power), crc);
  }
  return (crc ^ second) >>> 0;
}

const maps: BitMap[] = [];

/** Returns the map that appends 2^power zero bytes. */
function appendZeroBytes(power: number): BitMap {
  for (let known = maps.length; known <= power; known++) {
    const before = maps.at(-1);
    maps.push(before === undefined ? zeroByte() : compose(before, before));
  }
  return maps[power]!;
}

function zeroByte(): BitMap {
  const bit = Uint32Array.from({ length: 32 }, (_, i) => (i === 0 ? POLYNOMIAL : 2 ** (i - 1)));
  const two = compose(bit, bit);
  const four = compose(two, two);
  return compose(four, four);
}

function compose(outer: BitMap, inner: BitMap): BitMap {
  return inner.map((image) => apply(outer, image));
}

function apply(map: BitMap, bits: number): number {
  let image = 0;
  for (let i = 0, rest = bits; rest !== 0; i++, rest >>>= 1) {
    if ((rest & 1) === 1) image ^= map[i]!;
  }
  return image >>> 0;
}
