import { describe, expect, test } from 'vitest';
import { joinBase, parseBaseUrl } from '../../src/core/sitemap/relative-url.ts';

describe('a base', () => {
  test.each([
    ['https://shop.example.com', 'https://shop.example.com/'],
    ['https://shop.example.com/', 'https://shop.example.com/'],
    ['https://shop.example.com/de/start', 'https://shop.example.com/de/'],
    ['http://grüße.example/ü/', 'http://xn--gre-6ka8l.example/%C3%BC/'],
  ])('%s is %s', (given, url) => {
    expect(parseBaseUrl(given)).toEqual({ url });
  });

  test.each([
    '',
    'shop.example.com',
    'ftp://a.example/',
    'https://a.example/?a',
    'https://a.example/#a',
    `https://a.example/${'x'.repeat(512)}/`,
  ])('%s is refused', (given) => {
    expect(parseBaseUrl(given)).toHaveProperty('problem');
  });
});

const BASE = 'https://shop.example.com/de/';

describe('with a base', () => {
  test.each([
    ['/p/1', 'https://shop.example.com/p/1'],
    ['/', 'https://shop.example.com/'],
    ['p/1?a=1#b', 'https://shop.example.com/de/p/1?a=1#b'],
    ['about.html', 'https://shop.example.com/de/about.html'],
    ['red-shoe', 'https://shop.example.com/de/red-shoe'],
    ['p/v1.2', 'https://shop.example.com/de/p/v1.2'],
    ['p/..hidden', 'https://shop.example.com/de/p/..hidden'],
    ["'s-gravenhage", "https://shop.example.com/de/'s-gravenhage"],
    ['(500)-days', 'https://shop.example.com/de/(500)-days'],
    ['/[a]', 'https://shop.example.com/[a]'],
    ['p/%2e%2e%2fadmin', 'https://shop.example.com/de/p/%2e%2e%2fadmin'],
  ])('%s is %s', (given, url) => {
    expect(joinBase(BASE, given)).toEqual({ url });
  });

  test.each([
    ['//cdn.example.com/x', '//'],
    ['../p', 'without . and ..'],
    ['/a/./b', 'without . and ..'],
    ['/x/%2e%2e/admin', 'without . and ..'],
    ['.%2E', 'without . and ..'],
    ['?page=2', 'path before its query'],
    ['#top', 'path before its query'],
    ['mailto:a@example.com', 'must be a path'],
    ['ftp://a.example/', 'must be a path'],
    ['www.example.com/x', 'looks like a host'],
    ['example.com', 'looks like a host'],
    ['a.html/x', 'looks like a host'],
    ['localhost.example:80/x', 'must be a path'],
    [' /p', 'begin or end with white space'],
    [' https://other.example/x', 'begin or end with white space'],
    ['\uFEFFhttps://other.example/x', 'begin or end with white space'],
    ['p\u00A0', 'begin or end with white space'],
    ['"/p/1"', 'without quotes or brackets'],
    ["'p/1'", 'without quotes or brackets'],
    ['"https://other.example/x"', 'without quotes or brackets'],
    ['<https://other.example/x>', 'without quotes or brackets'],
    ['[', 'without quotes or brackets'],
    ['{"loc":"/p"}', 'must be a path'],
    ['\\p\\1', 'without quotes or brackets'],
    ['(2 rows)', 'without quotes or brackets'],
    ['(not set)', 'without quotes or brackets'],
    ['-', 'must be a path'],
    ['------', 'must be a path'],
  ])('%s is refused', (given, problem) => {
    expect(joinBase(BASE, given)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test.each(['https://other.example/x', 'HTTP://other.example/x', ''])('%s stays as it is', (given) => {
    expect(joinBase(BASE, given)).toBeUndefined();
  });
});
