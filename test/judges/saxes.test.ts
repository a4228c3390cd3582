/** saxes, a strict XML parser, reads our files and finds the entries that were sent. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { accepted, sitemapDocument } from '../sitemap/document.ts';
import { HAND_PICKED_ENTRIES } from '../sitemap/hand-picked-entries.ts';
import { readEntry, readXml } from '../sitemap/read-xml.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

function readBack(...entries: readonly object[]): unknown[] {
  return readXml(sitemapDocument(...entries.map(accepted))).children.map(readEntry);
}

test('any entries are read back as they were sent', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { minLength: 1, maxLength: 3 }), (entries) => {
      expect(readBack(...entries)).toEqual(entries);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test.each(HAND_PICKED_ENTRIES)('so is an entry with %s', (_, entry) => {
  expect(readBack(entry)).toEqual([entry]);
});
