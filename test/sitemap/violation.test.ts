import { expect, test } from 'vitest';
import { fieldName, shownValue } from '../../src/sitemap/violation.ts';

test('a field is named by its exact path', () => {
  expect(fieldName(31_007, ['images', 2, 'loc'])).toBe('urls[31007].images[2].loc');
  expect(fieldName(0, [])).toBe('urls[0]');
});

test('a string of 256 code points is shown whole, a longer one cut and marked', () => {
  expect(shownValue('😀'.repeat(256))).toBe('😀'.repeat(256));
  expect(shownValue('😀'.repeat(257))).toBe(`${'😀'.repeat(256)}…`);
});

test('an object is shown as it is, or as the beginning of its JSON if that is long', () => {
  expect(shownValue({ a: [1] })).toEqual({ a: [1] });
  const shown = shownValue(Array(200).fill(7));
  expect(shown).toBe(`${JSON.stringify(Array(200).fill(7)).slice(0, 256)}…`);
});

test('what is missing is shown as null, and a number too large for JSON by its name', () => {
  expect(shownValue(undefined)).toBeNull();
  expect(shownValue(JSON.parse('1e400'))).toBe('Infinity');
  expect(shownValue(false)).toBe(false);
});
