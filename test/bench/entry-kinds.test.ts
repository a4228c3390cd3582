/** No row of the bench `ordinary` measures entries that Waypost refuses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENTRY_KINDS } from '../../bench/ordinary/entry-kinds.ts';
import { parseEntry } from '../../src/core/sitemap/parse-entry.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

test('each kind has a name and a spelling of its own', () => {
  expect(new Set(ENTRY_KINDS.map(({ name }) => name)).size).toBe(ENTRY_KINDS.length);
  expect(new Set(ENTRY_KINDS.map(({ textOf }) => textOf(7))).size).toBe(ENTRY_KINDS.length);
});

describe.each(ENTRY_KINDS)('$name, as written by $writtenBy', ({ count, textOf }) => {
  const expectAccepted = (i: number) => {
    expect(parseEntry(JSON.parse(textOf(i)), i)).toHaveProperty('entry');
  };

  test('is accepted', () => {
    for (let i = 0; i < 300; i++) expectAccepted(i);
    fc.assert(fc.property(fc.nat(count - 1), expectAccepted), { numRuns: PROPERTY_RUNS });
  });

  test('has a different loc in each entry', () => {
    const locs = Array.from({ length: 2000 }, (_, i) => JSON.parse(textOf(i)).loc);
    expect(new Set(locs).size).toBe(locs.length);
  });
});
