/**
 * Computes the CRC-32 of two concatenated pieces from the CRC-32 of each piece and the length of the second piece, by the method of zlib's
 * crc32_combine. To append zero bytes is a linear map over GF(2) on the CRC. So to append `length` zero bytes is the product of the maps for
 * the powers of two in `length`.
 */

/** A linear map over GF(2). Element i is the image of bit i. */
type BitMap = Uint32Array;

/** The reflected polynomial of CRC-32 (RFC 1952, section 8). */
const POLYNOMIAL = 0xedb88320;

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
