// Every document that we write is judged by libxml2 against the schemas of sitemaps.org and Google.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntry } from './arbitrary-entry.ts';
import { accepted, sitemapDocument } from './document.ts';
import { fullEntry } from './full-entry.ts';
import { PROPERTY_RUNS } from './property-runs.ts';
import { hasXmllint, schemaErrors, sharedFile } from './shared-folder.ts';

const schema = sharedFile('xsd/all.xsd') as string;
const canValidate = schema !== undefined && hasXmllint();

test.skipIf(!canValidate)('a file of any valid entries is valid by the schemas', () => {
  const entries = fc.sample(anyEntry, PROPERTY_RUNS.numRuns * 5).map(accepted);
  expect(schemaErrors(schema, sitemapDocument(...entries))).toBe('');
});

test.skipIf(!canValidate)('so is a file whose entries use one extension each, or none', () => {
  const { loc, news, video, images, hreflang } = fullEntry();
  for (const members of [{}, { news }, { video }, { images }, { hreflang }, { images: [], hreflang: [] }]) {
    expect(schemaErrors(schema, sitemapDocument(accepted({ loc, ...members })))).toBe('');
  }
});

test.skipIf(!canValidate)('so is a file of URLs at the edges of what is accepted', () => {
  const urls = [
    'http://a.co',
    'HTTP://A_b.example:65535',
    'https://example.com.:0080?',
    'https://example.com:#',
    "http://a!$&'()+,;=~b.com/{}|^`\\[]%#a#b",
    'http://[::ffff:192.0.2.7]/%',
    'https://münchen.de/😀',
    `https://example.com/${'&'.repeat(2_028)}`,
  ];
  expect(schemaErrors(schema, sitemapDocument(...urls.map((loc) => accepted({ loc }))))).toBe('');
});

test.skipIf(!canValidate)('the judge does refuse what is wrong', () => {
  const xml = sitemapDocument(accepted({ loc: 'https://example.com/' }));
  expect(schemaErrors(schema, xml.replace('</url>', '<priority>1e-7</priority></url>'))).toContain(
    'priority',
  );
});
