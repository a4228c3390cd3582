import { expect, test } from 'vitest';
import { fieldName } from '../../src/core/sitemap/violation.ts';

test('a field is named by its exact path', () => {
  expect(fieldName(31_007, ['images', 2, 'loc'])).toBe('urls[31007].images[2].loc');
  expect(fieldName(0, [])).toBe('urls[0]');
});
