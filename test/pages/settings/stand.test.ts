/** Meters near their limit. */
import { expect, test } from 'vitest';
import { standOf } from '../../../pages/views/settings/plan/stand.ts';

test.each([
  [0, 50, undefined],
  [39, 50, undefined],
  [40, 50, 'Near the limit'],
  [49, 50, 'Near the limit'],
  [50, 50, 'At the limit'],
  [51, 50, 'Over the limit'],
  [1, 1, 'At the limit'],
])('%d of %d', (used, limit, word) => {
  expect(standOf({ used, limit })?.word).toBe(word);
});
