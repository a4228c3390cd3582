/**
 * libxml2 checks our files against the schemas of sitemaps.org and Google. It also checks every other document that
 * tests produce (test/sitemap/produced-documents.ts). Here, properties and hand-picked entries name the culprit.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { accepted, sitemapDocument } from '../sitemap/document.ts';
import { HAND_PICKED_ENTRIES } from '../sitemap/hand-picked-entries.ts';
import { PLAIN_SCHEMA, SITEMAP_SCHEMA, schemaErrors } from '../sitemap/schema-judge.ts';
import { needs } from '../support/needs.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const all = needs('xmllint', 'the public schemas');

const verdictOn = (...entries: readonly object[]) =>
  schemaErrors(SITEMAP_SCHEMA, sitemapDocument(...entries.map(accepted)));

test('a file of any valid entries is valid by the schemas', all, () => {
  // One call of xmllint takes as long as a hundred entries, so each call gets many.
  const entries = fc.array(anyEntry, { minLength: 20, maxLength: 60 });
  fc.assert(
    fc.property(entries, (entries) => {
      expect(verdictOn(...entries)).toBe('');
    }),
    { numRuns: PROPERTY_RUNS / 5 },
  );
});

test.each(HAND_PICKED_ENTRIES)('so is one with %s', all, (_, entry) => {
  expect(verdictOn(entry)).toBe('');
});

test('a file of normalised URLs is valid too', needs('xmllint'), () => {
  const urls = [
    'http://a.co',
    'https://example.com:#',
    "http://a!$&'()+,;=~b.com/{}|^`\\[]%#a#b",
    'http://[::ffff:192.0.2.7]/%',
    'https://münchen.de/😀',
  ];
  const xml = sitemapDocument(...urls.map((loc) => accepted({ loc })));
  expect(schemaErrors(PLAIN_SCHEMA, xml)).toBe('');
});

test('the judge refuses invalid documents, and names them', needs('xmllint'), () => {
  const xml = sitemapDocument(accepted({ loc: 'https://example.com/' }));
  const wrong = xml.replace('</url>', '<priority>1e-7</priority></url>');
  expect(schemaErrors(PLAIN_SCHEMA, xml, wrong, xml)).toMatch(/^1\.xml:.*priority/m);
});
