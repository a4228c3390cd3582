import { expect, test } from 'vitest';
import { accepted, refusedFields, sitemapDocument } from './document.ts';
import { fullEntry } from './full-entry.ts';

const heavyImage = {
  loc: `https://example.com/${'&'.repeat(2_028)}`,
  license: `https://example.com/${'&'.repeat(2_028)}`,
  title: '"'.repeat(10_000),
  caption: '"'.repeat(10_000),
  geo_location: '"'.repeat(10_000),
};
const withImages = (count: number) => ({
  loc: 'https://example.com/',
  images: Array(count).fill(heavyImage),
});

const bytesOf = (count: number) => Buffer.byteLength(sitemapDocument(accepted(withImages(count))));

test('an entry is refused as a whole exactly if its XML cannot fit into one file', () => {
  const bytesOfImage = bytesOf(2) - bytesOf(1);
  const largest = Math.floor((52_428_800 - bytesOf(0)) / bytesOfImage);
  expect(largest).toBeGreaterThan(200);
  expect(bytesOf(largest)).toBeLessThanOrEqual(52_428_800);
  expect(refusedFields(withImages(largest + 1))).toEqual(['']);
});

test('the heaviest entry that needs no measurement leaves room', () => {
  const text = '"'.repeat(10_000);
  const raw = fullEntry();
  const entry = accepted({
    ...raw,
    ...withImages(100),
    hreflang: Array(1_000).fill({ href: heavyImage.loc, hreflang: 'zh-Hant-TW' }),
    news: { ...raw.news, title: text, keywords: text },
    video: { ...raw.video, tag: Array(32).fill(text), description: '"'.repeat(2_048) },
  });
  expect(Buffer.byteLength(sitemapDocument(entry))).toBeLessThan(40_000_000);
});
