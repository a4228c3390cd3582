import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Difference, nearUrls } from '../../src/features/find/near-urls.ts';

const differencesOf = (asked: string, near: string) =>
  nearUrls(asked).find(({ url }) => url === near)?.differences;

test.each<[Difference, string, string]>([
  ['scheme', 'https://example.com/a', 'http://example.com/a'],
  ['scheme', 'http://example.com/a', 'https://example.com/a'],
  ['www', 'https://example.com/a', 'https://www.example.com/a'],
  ['www', 'https://WWW.example.com/a', 'https://example.com/a'],
  ['trailingSlash', 'https://example.com/a?b#c', 'https://example.com/a/?b#c'],
  ['trailingSlash', 'https://example.com/', 'https://example.com'],
  ['letterCase', 'https://Example.COM/Ab?C', 'https://example.com/Ab?C'],
  ['letterCase', 'https://example.com/Ab%2FC', 'https://example.com/ab%2Fc'],
  ['letterCase', 'HTTPS://Example.com/Ab', 'https://example.com/ab'],
  ['percentEncoding', 'https://example.com/%7ea%2f', 'https://example.com/~a%2F'],
  ['percentEncoding', 'https://example.com/%C3%A9', 'https://example.com/%c3%a9'],
  ['percentEncoding', 'https://example.com/a%2Cb', 'https://example.com/a,b'],
  ['percentEncoding', 'https://example.com/a,b', 'https://example.com/a%2Cb'],
])('%s: %s is near %s', (difference, asked, near) => {
  expect(differencesOf(asked, near)).toEqual([difference]);
});

test('two differences are found, three are not', () => {
  expect(differencesOf('https://example.com/a', 'http://www.example.com/a')).toEqual(['scheme', 'www']);
  expect(differencesOf('https://example.com/a', 'http://example.com/a/')).toEqual([
    'scheme',
    'trailingSlash',
  ]);
  expect(differencesOf('https://example.com/a', 'http://www.example.com/a/')).toBeUndefined();
});

const text = fc.stringMatching(/^[A-Za-z%0-9,;~!-]{0,12}$/);

test('near URLs are few, different ones, the nearest first', () => {
  fc.assert(
    fc.property(text, text, (path, query) => {
      const asked = `https://Example.com/${path}?${query}`;
      const near = nearUrls(asked);
      expect(near.length).toBeLessThan(80);
      expect(new Set([asked, ...near.map(({ url }) => url)]).size).toBe(near.length + 1);
      const counts = near.map(({ differences }) => differences.length);
      expect(counts).toEqual(counts.toSorted());
    }),
  );
});

test('being near in scheme, www and slash has no direction', () => {
  fc.assert(
    fc.property(text, (path) => {
      const asked = `https://example.com/${path}`;
      for (const { url, differences } of nearUrls(asked)) {
        if (differences.some((one) => one === 'letterCase' || one === 'percentEncoding')) continue;
        expect(nearUrls(url).map((back) => back.url)).toContain(asked);
      }
    }),
  );
});
