/**
 * libxml2 judges what we write against the schemas of sitemaps.org and Google. It also judges every other document
 * that tests produce (test/sitemap/produced-documents.ts); here properties and hand-picked entries name the culprit.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { accepted, sitemapDocument } from '../sitemap/document.ts';
import { HAND_PICKED_ENTRIES } from '../sitemap/hand-picked-entries.ts';
import { hasXmllint, schemaErrors, sharedFile } from '../sitemap/shared-folder.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const schema = sharedFile('xsd/all.xsd') as string;
const canValidate = schema !== undefined && hasXmllint();

const verdictOn = (...entries: readonly object[]) =>
  schemaErrors(schema, sitemapDocument(...entries.map(accepted)));

test.skipIf(!canValidate)('a file of any valid entries is valid by the schemas', () => {
  // A call of xmllint takes as long as a hundred entries do, so each gets many.
  const entries = fc.array(anyEntry, { minLength: 20, maxLength: 60 });
  fc.assert(
    fc.property(entries, (entries) => {
      expect(verdictOn(...entries)).toBe('');
    }),
    { numRuns: PROPERTY_RUNS / 5 },
  );
});

test.skipIf(!canValidate).each(HAND_PICKED_ENTRIES)('so is one with %s', (_, entry) => {
  expect(verdictOn(entry)).toBe('');
});

test.skipIf(!canValidate)('so is a file of URLs that had to be normalised', () => {
  const urls = [
    'http://a.co',
    'https://example.com:#',
    "http://a!$&'()+,;=~b.com/{}|^`\\[]%#a#b",
    'http://[::ffff:192.0.2.7]/%',
    'https://münchen.de/😀',
  ];
  expect(verdictOn(...urls.map((loc) => ({ loc })))).toBe('');
});

test.skipIf(!canValidate)('the judge does refuse what is wrong, and tells in which document', () => {
  const xml = sitemapDocument(accepted({ loc: 'https://example.com/' }));
  const wrong = xml.replace('</url>', '<priority>1e-7</priority></url>');
  expect(schemaErrors(schema, xml, wrong, xml)).toMatch(/^1\.xml:.*priority/m);
});
