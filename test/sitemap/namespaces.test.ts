import { expect, test } from 'vitest';
import { NAMESPACE, URLSET_FOOTER, urlsetHeader } from '../../src/core/sitemap/namespaces.ts';
import { INDEX_HEADER } from '../../src/core/sitemap/render-index.ts';
import { readXml } from './read-xml.ts';

const bits = Object.entries(NAMESPACE);

test('a file declares exactly the extension namespaces that it uses', () => {
  for (let namespaces = 0; namespaces < 16; namespaces++) {
    const { name, attributes } = readXml(urlsetHeader(namespaces) + URLSET_FOOTER);
    expect(name).toBe('http://www.sitemaps.org/schemas/sitemap/0.9 urlset');
    const used = bits.filter(([, bit]) => namespaces & bit).map(([prefix]) => `xmlns:${prefix}`);
    expect(Object.keys(attributes).sort()).toEqual(['xmlns', ...used].sort());
  }
});

test('a file begins with the XML declaration, without a byte order mark, and names its stylesheet', () => {
  const prolog =
    '<?xml version="1.0" encoding="UTF-8"?>\n<?xml-stylesheet type="text/css" href="/sitemap.css"?>\n';
  expect(urlsetHeader(0).startsWith(`${prolog}<urlset `)).toBe(true);
  expect(INDEX_HEADER.startsWith(`${prolog}<sitemapindex `)).toBe(true);
});
