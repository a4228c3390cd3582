import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../src/domains/cursor.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

test('a cursor leads back to its position, and can stand in a query as it is', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (position) => {
      const cursor = encodeCursor(position);
      expect(encodeURIComponent(cursor)).toBe(cursor);
      expect(decodeCursor(cursor)).toBe(position);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a cursor with any character changed, added or removed is refused', () => {
  fc.assert(
    fc.property(
      fc.maxSafeNat(),
      fc.nat(),
      fc.string({ maxLength: 2 }),
      fc.nat(2),
      (position, place, inserted, removed) => {
        const cursor = encodeCursor(position);
        const at = place % (cursor.length + 1);
        const damaged = cursor.slice(0, at) + inserted + cursor.slice(at + removed);
        fc.pre(damaged !== cursor);
        expect(() => decodeCursor(damaged)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
      },
    ),
    { numRuns: PROPERTY_RUNS },
  );
});

test.each(['', '5', 'NQ', '__proto__', 'MTIz', '-1', 'null'])('%j is refused', (cursor) => {
  expect(() => decodeCursor(cursor)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
});
