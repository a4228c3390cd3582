import { expect, test } from 'vitest';
import { detailsOf } from '../../../pages/views/sitemap/url-details.ts';

const url = {
  loc: 'https://www.example.com/',
  lastmod: null,
  changefreq: null,
  priority: null,
  images: 0,
  alternates: 0,
};

test('an entry without anything but its URL has no details', () => {
  expect(detailsOf(url)).toBe('');
});

test('a priority of 0 is a priority', () => {
  expect(detailsOf({ ...url, priority: '0' })).toBe('priority 0');
});

test('what there is stands in one order', () => {
  const details = detailsOf({ ...url, changefreq: 'daily', priority: '0.8', images: 1, alternates: 12 });
  expect(details).toBe('daily, priority 0.8, 1 image, 12 languages');
});
