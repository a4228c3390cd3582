import { expect, test } from 'vitest';
import { namedSitemaps, sitemapLine } from '../../src/features/page-hosts/named-sitemaps.ts';

const ORIGIN = 'https://sitemaps.example.com';

test('the line to paste names the index of the domain, and so all sitemaps', () => {
  const [, address = ''] = sitemapLine(ORIGIN).split(': ');
  expect(sitemapLine(ORIGIN)).toBe('Sitemap: https://sitemaps.example.com/sitemap-index.xml');
  expect(namedSitemaps([address], ORIGIN)).toMatchObject({ all: true });
});

test.each([
  ['https://sitemaps.example.com/sitemap.xml', ['']],
  ['https://sitemaps.example.com/sitemap-products.xml', ['products']],
  ['https://sitemaps.example.com/sitemap-products.xml.gz', ['products']],
  ['https://sitemaps.example.com/sitemap-products.xml?v=2', ['products']],
  ['HTTPS://Sitemaps.EXAMPLE.com/sitemap.xml', ['']],
  ['https://sitemaps.example.com:443/sitemap.xml', ['']],
  ['https://sitemaps.%65xample.com/sitemap.xml', ['']],
])('%s names a sitemap', (line, names) => {
  const named = namedSitemaps([line], ORIGIN);
  expect(named).toEqual({ all: false, names: new Set(names), nearMiss: undefined });
});

test.each([
  'http://sitemaps.example.com/sitemap.xml',
  'https://sitemaps.example.com:8443/sitemap.xml',
  'https://sitemaps.example.com./sitemap.xml',
  'https://sitemaps.example.com/Sitemap.xml',
  'https://sitemaps.example.com/%73itemap.xml',
  'https://sitemaps.example.com//sitemap.xml',
  'https://sitemaps.example.com/sitemap.1.xml',
  'https://sitemaps.example.com/sitemap_index.xml',
  'https://sitemaps.example.com/',
])('%s is not an address of ours, but near', (line) => {
  expect(namedSitemaps([line], ORIGIN)).toEqual({ all: false, names: new Set(), nearMiss: line });
});

test.each([
  'https://www.example.com/sitemap.xml',
  'https://evil-sitemaps.example.com/sitemap.xml',
  'https://sitemaps.example.com.evil.example/sitemap.xml',
  'https://sitemaps.example.com@evil.example/sitemap.xml',
  '/sitemap.xml',
  'sitemap.xml',
  '',
])('%j is of another site', (line) => {
  expect(namedSitemaps([line], ORIGIN)).toEqual({ all: false, names: new Set(), nearMiss: undefined });
});

test('the public origin may have a port', () => {
  const origin = 'http://sitemaps.localhost:8080';
  expect(namedSitemaps([`${origin}/sitemap-index.xml`], origin)).toMatchObject({ all: true });
  expect(namedSitemaps(['http://sitemaps.localhost/sitemap-index.xml'], origin)).toMatchObject({
    all: false,
  });
});
