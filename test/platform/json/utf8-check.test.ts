import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Utf8Check } from '../../../src/platform/json/utf8-check.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

/** The number of bytes before the first invalid character, chunk by chunk; undefined if all is valid. */
function checkInChunks(bytes: Uint8Array, sizes: readonly number[]): number | undefined {
  const check = new Utf8Check();
  let start = 0;
  for (let i = 0; start < bytes.length; i++) {
    const chunk = bytes.subarray(start, start + sizes[i % sizes.length]!);
    const valid = check.validLength(chunk);
    if (valid < chunk.length) return start + valid;
    start += chunk.length;
  }
  return undefined;
}

/**
 * The same from Node's own decoder, one byte at a time. The first bytes of a character may be in an earlier chunk than
 * the byte that makes it invalid; an earlier chunk's count never changes afterwards.
 */
function decodeInChunks(bytes: Uint8Array, sizes: readonly number[]): number | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let characterStart = 0;
  for (let i = 0; i < bytes.length; i++) {
    try {
      if (decoder.decode(bytes.subarray(i, i + 1), { stream: true }) !== '') characterStart = i + 1;
    } catch {
      return Math.max(characterStart, startOfChunkWith(i, sizes));
    }
  }
  return undefined;
}

function startOfChunkWith(position: number, sizes: readonly number[]): number {
  let start = 0;
  for (let i = 0; ; i++) {
    const end = start + sizes[i % sizes.length]!;
    if (position < end) return start;
    start = end;
  }
}

/** The borders in the table of RFC 3629, section 4: the likely mistakes. */
const BORDERS = [
  ...[0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf],
  ...[0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
];

const text = fc.string({ unit: 'binary', maxLength: 20 }).map((characters) => Buffer.from(characters));
const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }),
  fc.array(fc.constantFrom(...BORDERS), { maxLength: 8 }).map((bytes) => Uint8Array.from(bytes)),
);
const chunking = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

test('text is valid in any chunks', () => {
  fc.assert(
    fc.property(text, chunking, (bytes, sizes) => {
      expect(checkInChunks(bytes, sizes)).toBeUndefined();
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('any bytes are judged like by a fatal decoder, at the same character', () => {
  fc.assert(
    fc.property(text, someBytes, text, chunking, (before, middle, after, sizes) => {
      const bytes = Buffer.concat([before, middle, after]);
      expect(checkInChunks(bytes, sizes)).toBe(decodeInChunks(bytes, sizes));
    }),
    { numRuns: PROPERTY_RUNS * 5 },
  );
});

test('every three border bytes, cut anywhere, are judged like by a fatal decoder', () => {
  const chunkings = [[3], [1], [1, 2], [2, 1]];
  for (const first of BORDERS) {
    for (const second of BORDERS) {
      for (const third of BORDERS) {
        const bytes = Uint8Array.of(first, second, third);
        for (const sizes of chunkings) {
          const found = checkInChunks(bytes, sizes);
          const expected = decodeInChunks(bytes, sizes);
          if (found !== expected) expect.fail(`${bytes} in ${sizes}: ${found} instead of ${expected}`);
        }
      }
    }
  }
});

test('an empty chunk in the middle of a character changes nothing', () => {
  const check = new Utf8Check();
  expect(check.validLength(Uint8Array.of(0xe2))).toBe(1);
  expect(check.validLength(new Uint8Array(0))).toBe(0);
  expect(check.validLength(Uint8Array.of(0x82, 0xac))).toBe(2);
});

test('the fault is found in a chunk of a mebibyte', () => {
  const bytes = Buffer.alloc(1024 * 1024, 'é');
  bytes[700_001] = 0x41;
  expect(new Utf8Check().validLength(bytes)).toBe(700_000);
});
