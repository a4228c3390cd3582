/** xmlbuilder2, an XML builder, as an oracle: it builds the tree that our bytes must parse to. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { builtTree } from '../sitemap/built-tree.ts';
import { accepted, sitemapDocument } from '../sitemap/document.ts';
import { HAND_PICKED_ENTRIES } from '../sitemap/hand-picked-entries.ts';
import { readXml } from '../sitemap/read-xml.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

/** The elements of a document with these entries. */
function writtenTrees(...entries: readonly object[]) {
  return readXml(sitemapDocument(...entries.map(accepted))).children;
}

test('any entries have the same elements in the same order as an independent builder gives them', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { minLength: 1, maxLength: 3 }), (entries) => {
      expect(writtenTrees(...entries)).toEqual(entries.map(builtTree));
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test.each(HAND_PICKED_ENTRIES)('so has an entry with %s', (_, entry) => {
  expect(writtenTrees(entry)).toEqual([builtTree({ ...entry })]);
});
