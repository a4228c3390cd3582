import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shrinksTooMuch } from '../../src/features/uploads/guard.ts';
import { isOverPercent, percentOf } from '../../src/features/uploads/percent.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const count = fc.oneof(fc.integer({ min: 1, max: 200_000 }), fc.integer({ min: 1, max: 2 ** 40 }));
/** Percentages in thousandths, so that the judge needs no fractions. */
const thousandths = fc.oneof(
  fc.integer({ min: 0, max: 100 }).map((n) => n * 1000),
  fc.integer({ min: 0, max: 100_000 }),
);

test('a limit is passed exactly when arithmetic without rounding says so', () => {
  fc.assert(
    fc.property(count, thousandths, fc.integer({ min: -2, max: 2 }), (whole, limit, beside) => {
      // Right at the limit, and beside it.
      const atLimit = Number((BigInt(whole) * BigInt(limit)) / 100_000n);
      const part = Math.max(0, atLimit + beside);
      const expected = BigInt(part) * 100_000n > BigInt(whole) * BigInt(limit);
      expect(isOverPercent(part, whole, limit / 1000)).toBe(expected);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('the guard stops one URL beyond its limit, and not at it', () => {
  const percent = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1001, max: 2 ** 40 }), percent, (formerUrlCount, maxRemovedPercent) => {
      const allowed = Number((BigInt(formerUrlCount) * BigInt(maxRemovedPercent)) / 100n);
      const shrinkage = { sitemapName: '', formerUrlCount, maxRemovedPercent };
      const removing = (removed: number) =>
        shrinksTooMuch({ ...shrinkage, urlCount: formerUrlCount - removed });
      expect(removing(allowed)).toBe(false);
      if (allowed < formerUrlCount) expect(removing(allowed + 1)).toBe(true);
      // An upload that grows removes nothing.
      expect(removing(-formerUrlCount)).toBe(false);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a sitemap of 1,000 URLs is not guarded', () => {
  const emptied = { sitemapName: '', urlCount: 1, maxRemovedPercent: 0 };
  expect(shrinksTooMuch({ ...emptied, formerUrlCount: 1000 })).toBe(false);
  expect(shrinksTooMuch({ ...emptied, formerUrlCount: 1001 })).toBe(true);
});

test.each([
  [1, 3, 33.34],
  [1, 2, 50],
  [500_001, 1_000_000, 50.01],
  [0, 5, 0],
  [5, 5, 100],
])('%d of %d are %d %%', (part, whole, percent) => {
  expect(percentOf(part, whole)).toBe(percent);
});
