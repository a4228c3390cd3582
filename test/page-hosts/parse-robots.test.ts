import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CRAWLERS, parseRobots } from '../../src/features/page-hosts/parse-robots.ts';
import { needs } from '../support/needs.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const isAllowed = (text: string, path: string, crawler: (typeof CRAWLERS)[number] = 'Googlebot') =>
  parseRobots(text).isAllowed(crawler, path);

test('Sitemap lines count wherever they are, in any case, with comments and blanks', () => {
  const text = [
    'SITEMAP: https://a.example/1.xml',
    'User-agent: *',
    ' sitemap :  https://a.example/2.xml  # ours',
    'Disallow: /',
    'Site-map: https://a.example/3.xml',
    'Sitemap:',
    'Sitemap https://a.example/4.xml',
    '# Sitemap: https://a.example/5.xml',
    'SiteMap: https://a.example/6.xml',
  ];
  const wanted = ['https://a.example/1.xml', 'https://a.example/2.xml', 'https://a.example/6.xml'];
  for (const end of ['\n', '\r\n', '\r']) expect(parseRobots(text.join(end)).sitemaps).toEqual(wanted);
});

test.each([
  ['a group for all', 'User-agent: *\nDisallow: /a', false],
  [
    'a group of its own, which hides the one for all',
    'User-agent: *\nDisallow: /\nUser-agent: googlebot\nAllow: /',
    true,
  ],
  ['a group with an empty rule', 'User-agent: *\nDisallow: /\nUser-agent: Googlebot\nDisallow:', true],
  ['a group of another', 'User-agent: Otherbot\nDisallow: /', true],
  ['several names of a group', 'User-agent: Otherbot\nUser-agent: GOOGLEBOT\nDisallow: /', false],
  [
    'names with lines that are no rules in between',
    'User-agent: googlebot\nSitemap: https://a.example/\nFoo: bar\nUser-agent: other\nDisallow: /',
    false,
  ],
  [
    'two groups of one name',
    'User-agent: googlebot\nDisallow: /a\nUser-agent: *\nAllow: /\nUser-agent: googlebot\nDisallow: /b',
    false,
  ],
  ['a version', 'User-agent: Googlebot/2.1 (+http://www.google.com/bot.html)\nDisallow: /', false],
  ['a longer name', 'User-agent: Googlebot-News\nDisallow: /', true],
  ['rules before any name', 'Disallow: /\nUser-agent: other\nDisallow: /', true],
  ['the longest rule', 'User-agent: *\nDisallow: /\nAllow: /a', true],
  ['Allow of equal length', 'User-agent: *\nDisallow: /a\nAllow: /a', true],
  ['wildcards', 'User-agent: *\nDisallow: /*/c$', false],
  ['an end that is not there', 'User-agent: *\nDisallow: /a/b$', true],
  ['only the home page', 'User-agent: *\nDisallow: /$', true],
])('Googlebot goes by %s', (_, text, expected) => {
  expect(isAllowed(text, '/a/b/c')).toBe(expected);
});

test('each crawler goes by its own group', () => {
  const text = 'User-agent: Bingbot\nDisallow: /\n\nUser-agent: *\nAllow: /';
  expect(isAllowed(text, '/', 'Googlebot')).toBe(true);
  expect(isAllowed(text, '/', 'Bingbot')).toBe(false);
});

test('a hostile file of half a megabyte costs memory for its rules once', () => {
  const names = 'User-agent: googlebot\n'.repeat(10_000);
  const others = Array.from({ length: 10_000 }, (_, n) => `User-agent: b${n}\n`).join('');
  const text = `${names}${others}${'Allow: /a\n'.repeat(20_000)}Disallow: /${'*a'.repeat(5000)}`;
  const before = process.memoryUsage().heapUsed;
  expect(isAllowed(text, '/b')).toBe(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(500e6);
});

// Protego takes // for the beginning of a host, and drops an empty query.
const path = fc.stringMatching(/^(\/[abc]{1,3}){1,3}$/);
const pattern = fc.stringMatching(/^(\/[ab*]{1,3}){1,2}\$?$/);
const group = fc.record({
  names: fc.array(fc.constantFrom('*', 'Googlebot', 'BINGBOT', 'othercrawler'), {
    minLength: 1,
    maxLength: 3,
  }),
  rules: fc.array(fc.tuple(fc.constantFrom('Allow', 'disallow', 'Disallow'), pattern), {
    minLength: 1,
    maxLength: 4,
  }),
});
const file = fc
  .array(group, { maxLength: 4 })
  .map((groups) =>
    groups
      .map(({ names, rules }) =>
        [
          ...names.map((name) => `User-agent: ${name}`),
          ...rules.map(([rule, value]) => `${rule}: ${value}`),
        ].join('\n'),
      )
      .join('\n\n'),
  );

const JUDGE = `
import json, sys
from protego import Protego
for line in sys.stdin:
    text, path = json.loads(line)
    robots = Protego.parse(text)
    print(json.dumps([robots.can_fetch('http://page.invalid' + path, name) for name in ('Googlebot', 'Bingbot')]))
`;

test('Protego, the parser of Scrapy, comes to the same verdicts', needs('protego'), () => {
  const cases = fc.sample(fc.tuple(file, path), PROPERTY_RUNS * 10);
  const input = cases.map((one) => JSON.stringify(one)).join('\n');
  const { stdout, stderr, status } = spawnSync('/usr/bin/python3', ['-c', JUDGE], {
    input,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const verdicts = stdout.trim().split('\n');
  expect(verdicts).toHaveLength(cases.length);
  for (const [i, [text, at]] of cases.entries()) {
    const ours = CRAWLERS.map((crawler) => isAllowed(text, at, crawler));
    expect({ text, at, ours }).toEqual({ text, at, ours: JSON.parse(verdicts[i]!) });
  }
});
