import { expect, test } from 'vitest';
import { weekOf } from '../../../pages/parts/format.ts';

test.each([
  [1_250_000, 50_000, '+1.2M in 7 days'],
  [0, 999, '−999 in 7 days'],
  [5, 5, undefined],
  [5, null, undefined],
])('%d URLs now and %s a week ago', (now, before, words) => {
  expect(weekOf(now, before)).toBe(words);
});
