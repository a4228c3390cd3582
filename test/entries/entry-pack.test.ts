import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderEntry } from '../../src/core/sitemap/render-entry.ts';
import { EntryPacker, keyOfUrl, readEntryPack } from '../../src/features/entries/entry-pack.ts';
import { entriesOf, locOfEntry } from '../../src/features/entries/fragment-of.ts';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { accepted } from '../sitemap/document.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { plainEntries } from '../uploads/batches.ts';

const entries = fc.array(anyEntry, { maxLength: 20 }).map((list) => list.map(accepted));

test('a pack has the entries and removed URLs that were put into it', () => {
  fc.assert(
    fc.property(entries, entries, (changed, removed) => {
      const packer = new EntryPacker('products');
      for (const entry of changed) packer.add(entry.loc, Buffer.from(renderEntry(entry)));
      for (const { loc } of removed) packer.remove(loc);
      const pack = readEntryPack(packer.end()!)!;
      const found = pack.fragments.flatMap(entriesOf);
      expect(found.map(String)).toEqual(changed.map(renderEntry));
      expect(found.map(locOfEntry)).toEqual(changed.map(({ loc }) => loc));
      expect(pack.removed).toEqual(removed.map(({ loc }) => loc));
      const keys = (list: typeof changed) => Buffer.concat(list.map(({ loc }) => keyOfUrl('products', loc)));
      expect(pack.keys).toEqual(keys(changed));
      expect(pack.removedKeys).toEqual(keys(removed));
      expect(pack.isOurXml).toBe(true);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

function packOf(changed: number, removed: number, maxUrls?: number): Buffer<ArrayBuffer> | undefined {
  const packer = new EntryPacker('', maxUrls);
  for (const entry of plainEntries(changed)) packer.add(entry.loc, Buffer.from(renderEntry(entry)));
  for (const { loc } of plainEntries(removed, changed)) packer.remove(loc);
  return packer.end();
}

test('fragments have a thousand entries, and a thousand removed URLs have their text', () => {
  const pack = readEntryPack(packOf(2500, 1500)!)!;
  expect(pack.fragments.map(({ entries }) => entries)).toEqual([1000, 1000, 500]);
  expect(pack.removedKeys.length / keyOfUrl('', '').length).toBe(1500);
  expect(pack.removed).toEqual(plainEntries(1000, 2500).map(({ loc }) => loc));
});

test('there is no pack of too many changes', () => {
  expect(packOf(10, 10, 10)).toBeDefined();
  expect(packOf(11, 0, 10)).toBeUndefined();
  expect(packOf(0, 11, 10)).toBeUndefined();
});

test('a pack with a flipped bit, or cut, is none', () => {
  const pack = packOf(30, 3)!;
  fc.assert(
    fc.property(fc.nat(pack.length - 1), fc.nat(7), fc.nat(pack.length - 1), (at, bit, length) => {
      const flipped = Buffer.from(pack);
      flipped[at]! ^= 1 << bit;
      expect(readEntryPack(flipped)).toBeUndefined();
      expect(readEntryPack(Buffer.from(pack.subarray(0, length)))).toBeUndefined();
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
