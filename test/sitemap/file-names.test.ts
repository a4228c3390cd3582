import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DEFAULT_SITEMAP,
  DOMAIN_INDEX_FILE,
  isSitemapName,
  parseFileName,
  partFileName,
  sitemapFileName,
} from '../../src/core/sitemap/file-names.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const anyName = fc.oneof(
  fc.constantFrom(DEFAULT_SITEMAP, '-', 'index-1', 'Index', '1', 'a'.repeat(64)),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/).filter((name) => name !== 'index'),
);
const anyPart = fc.integer({ min: 1, max: 50_000 });

test('a file name reads back as its sitemap and part', () => {
  fc.assert(
    fc.property(anyName, anyPart, (name, n) => {
      expect(parseFileName(sitemapFileName(name))).toEqual({ kind: 'sitemap', name });
      expect(parseFileName(partFileName(name, n))).toEqual({ kind: 'part', name, n });
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('any file name that can be read is the exact name of that file', () => {
  const nearly = fc.array(fc.constantFrom('sitemap', '-', 'index', '.', '.xml', '0', '7', '50000', 'a', '/'));
  fc.assert(
    fc.property(nearly, (parts) => {
      const file = parts.join('');
      const parsed = parseFileName(file);
      if (parsed?.kind === 'index') expect(file).toBe(DOMAIN_INDEX_FILE);
      if (parsed?.kind === 'sitemap') expect(sitemapFileName(parsed.name)).toBe(file);
      if (parsed?.kind === 'part') expect(partFileName(parsed.name, parsed.n)).toBe(file);
    }),
    { numRuns: 10 * PROPERTY_RUNS },
  );
});

test('the files of the unnamed sitemap have no dash', () => {
  expect(sitemapFileName(DEFAULT_SITEMAP)).toBe('sitemap.xml');
  expect(partFileName(DEFAULT_SITEMAP, 12)).toBe('sitemap.12.xml');
  expect(partFileName('blog', 1)).toBe('sitemap-blog.1.xml');
});

test('the domain-wide index is not a sitemap', () => {
  expect(parseFileName('sitemap-index.xml')).toEqual({ kind: 'index' });
});

test.each([
  'sitemap-.xml',
  'sitemap-index.1.xml',
  'sitemap.0.xml',
  'sitemap.01.xml',
  'sitemap.50001.xml',
  'sitemap.xml.gz',
  'Sitemap.xml',
  '/sitemap.xml',
  'sitemap-a.b.xml',
  `sitemap-${'a'.repeat(65)}.xml`,
  'sitemap.xml\n',
  '',
])('%j is not a file of a domain', (file) => {
  expect(parseFileName(file)).toBeUndefined();
});

test.each(['', 'index', 'a.b', 'a b', 'ä', 'a/b', 'a'.repeat(65), 'a\n'])(
  '%j is refused as a name',
  (name) => {
    expect(isSitemapName(name)).toBe(false);
  },
);
