import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstCodePoints, hasAtMostCodePoints } from '../../src/platform/code-points.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('😀', 'a', '\ud800') }),
);

test('a length counts code points like the string iterator, with any surrogates', () => {
  fc.assert(
    fc.property(anyText, fc.nat(20), (text, max) => {
      expect(hasAtMostCodePoints(text, max)).toBe([...text].length <= max);
      expect(firstCodePoints(text, max)).toBe([...text].slice(0, max).join(''));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
