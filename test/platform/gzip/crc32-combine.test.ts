import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combineCrc32 } from '../../../src/platform/gzip/gzip-member.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

function expectCombined(first: Uint8Array, second: Uint8Array): void {
  const combined = combineCrc32(crc32(first), crc32(second), second.length);
  expect(combined).toBe(crc32(Buffer.concat([first, second])));
}

test('the combined checksum is that of the concatenation', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), expectCombined),
    { numRuns: PROPERTY_RUNS },
  );
});

test.each([0, 1, 2, 255, 256, 65_535, 65_536, 1_000_003, 16_777_216])(
  'also for a second part of %i bytes',
  (length) => {
    expectCombined(Buffer.from('first'), Buffer.alloc(length, 'second'));
    expectCombined(Buffer.alloc(0), Buffer.alloc(length, 0xff));
  },
);

test('lengths beyond 32 bits are appended like two shorter ones', () => {
  const second = crc32('x');
  const half = 3 * 2 ** 31;
  const zeros = combineCrc32(combineCrc32(second, 0, half), 0, half);
  expect(combineCrc32(second, 0, 2 * half)).toBe(zeros);
});
