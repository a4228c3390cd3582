import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shownValue } from '../../src/platform/shown-value.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const character = fc.oneof(
  fc.constantFrom('a', 'é', '€', '😀', '\u0000'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const longText = fc
  .tuple(character, fc.integer({ min: 240, max: 530 }), fc.string({ unit: 'binary', maxLength: 20 }))
  .map(([repeated, times, rest]) => repeated.repeat(times) + rest);

test('a text is shown whole up to 256 code points, and beyond that its first 256 with a mark', () => {
  fc.assert(
    fc.property(fc.oneof(longText, fc.string({ unit: 'binary' })), (text) => {
      const codePoints = Array.from(text);
      const expected = codePoints.length <= 256 ? text : `${codePoints.slice(0, 256).join('')}…`;
      expect(shownValue(text)).toBe(expected);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a value with short JSON is shown unchanged, and a long one as the beginning of its JSON', () => {
  for (const value of [null, true, false, 0, 1.5, [], {}, { a: ['x'] }])
    expect(shownValue(value)).toEqual(value);
  const long = { names: Array(200).fill('é') };
  expect(shownValue(long)).toBe(`${JSON.stringify(long).slice(0, 256)}…`);
});

test('a missing value is shown as null, which JSON has', () => {
  expect(shownValue(undefined)).toBeNull();
});

test('a number that JSON lacks is shown as text', () => {
  expect(JSON.stringify(shownValue(JSON.parse('1e400')))).toBe('"Infinity"');
});
