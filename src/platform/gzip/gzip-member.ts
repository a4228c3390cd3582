/**
 * One gzip member (RFC 1952) stitched from pieces that were deflated apart. A piece is raw deflate (RFC 1951)
 * ended by a sync flush: it ends at a byte and refers to nothing before itself, so pieces concatenate, and
 * only the last one carries the final block.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { combineCrc32 } from './crc32-combine.ts';

/** Some bytes, deflated, with what is needed to stitch them. */
export interface DeflatedPiece {
  readonly deflated: Uint8Array<ArrayBuffer>;
  /** Length before compression. */
  readonly bytes: number;
  /** CRC-32 before compression. */
  readonly crc: number;
}

/** Three times as fast as level 6, and on XML within a fifth of its size (docs/decisions/0003). */
const LEVEL = 1;

/** Magic, deflate, no flags, no time, no extra flags, unknown system. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

export function deflatePiece(bytes: Uint8Array): DeflatedPiece {
  return compress(bytes, constants.Z_SYNC_FLUSH);
}

export function deflateLastPiece(bytes: Uint8Array): DeflatedPiece {
  return compress(bytes, constants.Z_FINISH);
}

function compress(bytes: Uint8Array, finishFlush: number): DeflatedPiece {
  const deflated = deflateRawSync(bytes, { level: LEVEL, finishFlush });
  return { deflated: deflated as Buffer<ArrayBuffer>, bytes: bytes.length, crc: crc32(bytes) };
}

/** The member's parts, to be written one after the other. The last piece must be a `deflateLastPiece`. */
export function stitchGzip(pieces: readonly DeflatedPiece[]): Uint8Array[] {
  let crc = 0;
  let bytes = 0;
  for (const piece of pieces) {
    crc = combineCrc32(crc, piece.crc, piece.bytes);
    bytes += piece.bytes;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(bytes % 2 ** 32, 4);
  return [HEADER, ...pieces.map((piece) => piece.deflated), trailer];
}

/** How many bytes the member has around its deflated pieces. */
export const GZIP_HEADER_BYTES = HEADER.length;
