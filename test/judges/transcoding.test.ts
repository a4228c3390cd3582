/**
 * The fast path against the normative one: on any batch both give the same bytes and the same violations. Entries are
 * spelt in every way that JSON has, because the test must not rely on what the fast path's code recognises. A case is a
 * hundred entries from a seed, so that `npm run fuzz -- test/judges/transcoding` judges millions.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { damaged } from './transcoding/damage.ts';
import { judgeEntries, judgeMixedEntries } from './transcoding/judge.ts';
import { Random } from './transcoding/random.ts';
import { scannedBatches } from './transcoding/scanned-batches.ts';
import { speltEntries } from './transcoding/spelt-entries.ts';
import { verdictOn } from './transcoding/verdicts.ts';

/** Smaller seeds mean nothing, so there is nothing to shrink. The judge shrinks entries itself. */
const anySeed = fc.noBias(fc.noShrink(fc.integer()));
const anyFirstIndex = fc.constantFrom(0, 0, 0, 950, 999, 49_990);

test('on entries in every spelling', () => {
  const property = fc.property(anySeed, anyFirstIndex, (seed, firstIndex) => {
    judgeEntries(speltEntries(100, new Random(seed)), firstIndex);
  });
  fc.assert(property, { numRuns: PROPERTY_RUNS * 2 });
});

test('on batches of valid, invalid and malformed entries', () => {
  const property = fc.property(
    anySeed,
    anyFirstIndex,
    fc.integer({ min: 1, max: 30 }),
    (seed, firstIndex, count) => {
      judgeMixedEntries(speltEntries(count, new Random(seed)), firstIndex);
    },
  );
  fc.assert(property, { numRuns: PROPERTY_RUNS * 2 });
});

test('on documents with a few characters wrong, as the scan cuts them into batches', () => {
  const property = fc.property(
    anySeed,
    fc.integer({ min: 1, max: 30 }),
    fc.nat({ max: 2 }),
    (seed, count, faults) => {
      const random = new Random(seed);
      let elements = speltEntries(count, random).join(',');
      for (let n = 0; n < faults; n++) elements = damaged(elements, random);
      for (const { texts, firstIndex } of scannedBatches(elements, random.between(1, 20))) {
        judgeMixedEntries(texts, firstIndex);
      }
    },
  );
  fc.assert(property, { numRuns: PROPERTY_RUNS });
});

test('on entries of all kinds', () => {
  const texts = fc.array(
    anyEntry.map((entry) => JSON.stringify(entry)),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(texts, (some) => judgeEntries(some)),
    { numRuns: PROPERTY_RUNS },
  );
});

test('the entries are mostly valid, and some are invalid or malformed', () => {
  const verdicts = Map.groupBy(speltEntries(2_000, new Random(1)), (text) => verdictOn(text).kind);
  expect(verdicts.get('valid')!.length).toBeGreaterThan(1_200);
  expect(verdicts.get('invalid')!.length).toBeGreaterThan(200);
  expect(verdicts.get('malformed')!.length).toBeGreaterThan(40);
});
