import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textFinder } from '../../src/platform/text-finder.ts';

/** Of two letters, so that much of it repeats. */
const text = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b'), { minLength, maxLength }).map((letters) => letters.join(''));

test('it finds what includes finds, of any length', () => {
  fc.assert(
    fc.property(text(0, 20), fc.integer({ min: 0, max: 40 }), text(0, 40), (piece, times, other) => {
      const wanted = piece.repeat(times) + other;
      for (const within of [wanted, `b${wanted}a`, piece.repeat(times + 1) + other, wanted.slice(1), other])
        expect(textFinder(wanted)(within)).toBe(within.includes(wanted));
    }),
  );
});

test('it looks at each character of a long text about once', () => {
  const wanted = `${'a'.repeat(500)}b${'a'.repeat(500)}`;
  let reads = 0;
  const watched = {
    length: 2000,
    includes: () => expect.unreachable('its time may grow with both lengths'),
    charCodeAt() {
      reads++;
      return 'a'.charCodeAt(0);
    },
  };
  expect(textFinder(wanted)(watched as unknown as string)).toBe(false);
  expect(reads).toBe(2000);
});
