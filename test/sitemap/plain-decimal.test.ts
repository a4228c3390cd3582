import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isShortDecimal, plainDecimal } from '../../src/core/sitemap/plain-decimal.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

test('a number prints without exponent and reads back as itself', () => {
  const numbers = fc.oneof(
    fc.double({ min: 0, max: 5, noNaN: true }),
    fc.double({ min: 0, max: 1e-5, noNaN: true }),
    fc.maxSafeNat(),
  );
  fc.assert(
    fc.property(numbers, (value) => {
      const text = plainDecimal(value);
      expect(text).toMatch(/^\d+(\.\d+)?$/);
      expect(Number(text)).toBe(Math.abs(value));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test.each([
  [0.64, '0.64'],
  [-0, '0'],
  [1e-7, '0.0000001'],
  [1.25e-7, '0.000000125'],
  [0.1 + 0.2, '0.30000000000000004'],
  [Number.MAX_SAFE_INTEGER, '9007199254740991'],
])('%d prints as %s', (value, text) => {
  expect(plainDecimal(value)).toBe(text);
});

test('a number is short enough exactly if it prints with at most 24 decimal places', () => {
  const numbers = fc.oneof(
    fc.double({ min: 0, max: 5, noNaN: true }),
    fc.double({ min: 0, max: 1e-6, noNaN: true }),
  );
  fc.assert(
    fc.property(numbers, (value) => {
      const [, places = ''] = plainDecimal(value).split('.');
      expect(isShortDecimal(value)).toBe(places.length <= 24);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
