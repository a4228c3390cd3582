import { expect, test } from 'vitest';
import { INDEX_FOOTER, INDEX_HEADER, renderIndexEntry } from '../../src/core/sitemap/render-index.ts';
import { needs } from '../support/needs.ts';
import { readXml } from './read-xml.ts';
import { INDEX_SCHEMA, schemaErrors } from './schema-judge.ts';

const index =
  INDEX_HEADER +
  renderIndexEntry('https://maps.example.com/sitemap.1.xml', new Date('2026-01-15T10:00:00.987Z')) +
  renderIndexEntry('https://maps.example.com/sitemap-a.xml?x&y', '2026-01-15T10:00:00Z') +
  INDEX_FOOTER;

test('an index lists its files with their times in whole seconds', () => {
  const { name, children } = readXml(index);
  expect(name).toBe('http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex');
  expect(children.map(({ children }) => children.map(({ text }) => text))).toEqual([
    ['https://maps.example.com/sitemap.1.xml', '2026-01-15T10:00:00Z'],
    ['https://maps.example.com/sitemap-a.xml?x&y', '2026-01-15T10:00:00Z'],
  ]);
});

test('an index is valid by the schema', needs('xmllint', 'the public schemas'), () => {
  expect(schemaErrors(INDEX_SCHEMA, index)).toBe('');
});
