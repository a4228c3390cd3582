import { expect, test } from 'vitest';
import { recentSentence } from '../../../pages/views/domain/recent-sentence.ts';

const of = (urlCount: number, hours = 72, names: readonly string[] = []) =>
  recentSentence({
    ...{ enabled: true, hours, urlCount, updatedAt: null },
    leftOut: names.map((sitemapName) => ({ sitemapName, reason: 'many-changes' as const })),
  });

test('the sentence says how many URLs, of which time, and what is missing', () => {
  expect(of(0)).toBe('/sitemap-recent.xml comes with the next change, and has those of the last 72 hours.');
  expect(of(1, 1)).toBe('/sitemap-recent.xml has 1 URL of the last hour.');
  expect(of(1200, 24, ['products'])).toBe(
    '/sitemap-recent.xml has 1,200 URLs of the last 24 hours. Earlier changes of products are left out.',
  );
  expect(of(2, 2, ['a', 'b', 'c', 'd', 'e'])).toMatch(
    /Earlier changes of a, b, c and 2 more are left out\.$/,
  );
});
