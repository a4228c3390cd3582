import { expect, test } from 'vitest';
import { nearestName } from '../../src/platform/refusal.ts';

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
])('the nearest name to %s is %s', (given, nearest) => {
  expect(nearestName(given, NAMES)).toBe(nearest);
});

test('without names there is no nearest name', () => {
  expect(nearestName('x', [])).toBeUndefined();
});
