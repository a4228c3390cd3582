import { expect, test } from 'vitest';
import { nearestName } from '../../src/platform/nearest-name.ts';

const NAMES = ['domain', 'urls', 'sitemapName', 'sizeLimit', 'pingSearch'];

test.each([
  ['sitemap_name', 'sitemapName'],
  ['SITEMAP-NAME', 'sitemapName'],
  ['siteMapNames', 'sitemapName'],
  ['sitmapName', 'sitemapName'],
  ['name', undefined],
  ['Domain', 'domain'],
  ['domian', 'domain'],
  ['url', 'urls'],
  ['sizelimits', 'sizeLimit'],
  ['x', undefined],
  ['', undefined],
  ['urls'.repeat(10_000), undefined],
])('of %s it is %s', (given, nearest) => {
  expect(nearestName(given, NAMES)).toBe(nearest);
});

test('of no names it is none', () => {
  expect(nearestName('x', [])).toBeUndefined();
});
