import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseUrl } from '../../src/core/sitemap/url.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { anyUrl } from './arbitrary-entry.ts';

const RFC_3986 =
  /^https?:\/\/[^/?#]+([\w\-.~!$&'()*+,;=:@/?]|%[\dA-Fa-f]{2})*(#([\w\-.~!$&'()*+,;=:@/?]|%[\dA-Fa-f]{2})*)?$/;

const naughty = fc.constantFrom(
  ...' "<>`{}|^\\[]%#',
  '%4',
  '%zz',
  '%%41',
  '%2F',
  '\u017f',
  '\u212a',
  '\ufeff',
  '😀',
  'é',
  '../',
);
const anyRest = fc
  .array(fc.oneof(naughty, fc.string(), fc.string({ unit: 'grapheme' })))
  .map((parts) => parts.join(''));

/** The bytes that a URL stands for. Everything except an escape stands for itself. */
const decoded = (url: string) =>
  Buffer.from(url)
    .toString('latin1')
    .replace(/%([\dA-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

test('a byte order mark is named, because it looks like nothing', () => {
  expect(normaliseUrl('\ufeffhttps://www.example.com/')).toEqual({
    problem: 'must not begin with a byte order mark, which nobody sees',
  });
});

test('the part after the host is written as RFC 3986 allows it and stands for the same bytes', () => {
  fc.assert(
    fc.property(anyRest, (rest) => {
      const given = `http://example.com/${rest}`;
      const verdict = normaliseUrl(given);
      if ('problem' in verdict) {
        expect(given).toMatch(/\p{Cc}|[\ufffe\uffff]|\s$/u);
        return;
      }
      expect(verdict.url).toMatch(RFC_3986);
      expect(decoded(verdict.url)).toBe(decoded(given));
      expect(normaliseUrl(verdict.url)).toEqual(verdict);
    }),
    { numRuns: 5 * PROPERTY_RUNS },
  );
});

test('a URL that RFC 3986 allows is kept unchanged', () => {
  fc.assert(
    fc.property(anyUrl, (given) => {
      expect(normaliseUrl(given)).toEqual({ url: given });
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('any text is either refused or becomes a URL of the same host for a WHATWG parser', () => {
  const anything = fc.tuple(
    fc.constantFrom('http://', 'HTTPS://', 'https:', 'ftp://', '//', ''),
    fc.webAuthority({
      withUserInfo: true,
      withIPv4: true,
      withIPv4Extended: true,
      withIPv6: true,
      withPort: true,
    }),
    anyRest,
  );
  fc.assert(
    fc.property(anything, ([scheme, authority, rest]) => {
      const given = scheme + authority + rest;
      const verdict = normaliseUrl(given);
      if ('problem' in verdict) {
        expect(verdict.problem).toMatch(/^must /);
        return;
      }
      expect(new URL(verdict.url).host).toBe(new URL(given).host);
    }),
    { numRuns: 5 * PROPERTY_RUNS },
  );
});

describe('rewritten', () => {
  test.each([
    [
      'an international host',
      'https://münchen.de/straße?ä=ö#ü',
      'https://xn--mnchen-3ya.de/stra%C3%9Fe?%C3%A4=%C3%B6#%C3%BC',
    ],
    ['blanks and quotes', 'https://example.com/a b"c', 'https://example.com/a%20b%22c'],
    ['a % that starts no escape', 'https://example.com/100%?a=%4', 'https://example.com/100%25?a=%254'],
    ['a second #', 'https://example.com/#a#b', 'https://example.com/#a%23b'],
    ['brackets outside the host', 'https://[::1]/a[0]', 'https://[::1]/a%5B0%5D'],
    ['under 12 characters', 'http://a.co', 'http://a.co/'],
    ['under 12 characters with a query', 'http://a.b?c', 'http://a.b?c'],
    ['under 12 characters with an empty query', 'http://a.b?', 'http://a.b/?'],
    ['an empty port', 'https://example.com:/', 'https://example.com/'],
  ])('%s', (_, given, written) => {
    expect(normaliseUrl(given)).toEqual({ url: written });
  });
});

describe('kept unchanged', () => {
  test.each([
    ['an upper-case scheme', 'HTTPS://example.com/'],
    ['escapes in either case', 'https://example.com/%c3%A9'],
    ['dot segments', 'https://example.com/a/../b/./c'],
    ['an unsorted query', 'https://example.com/?b=1&a=2&&'],
    ['no path', 'https://example.com'],
    ['a port with zeros before it', 'https://example.com:0080/'],
    ['a repeated ? and slashes', 'https://example.com//a?b?c//'],
  ])('%s', (_, given) => {
    expect(normaliseUrl(given)).toEqual({ url: given });
  });
});

describe('refused', () => {
  test.each([
    ['no slashes', 'https:example.com'],
    ['one slash', 'https:/example.com'],
    ['back slashes', 'https:\\\\example.com'],
    ['a back slash that ends the host', 'https://example.com\\a'],
    ['another scheme', 'ftp://example.com/'],
    ['no scheme', 'www.example.com/'],
    ['no host', 'https:///a'],
    ['nothing', ''],
    ['a blank before it', ' https://example.com/'],
    ['a blank after it', 'https://example.com/ '],
    ['a no-break space after it', 'https://example.com/\u00a0'],
    ['a line end after it', 'https://example.com/\n'],
    ['a tab inside', 'https://exam\tple.com/'],
    ['a C1 control character', 'https://example.com/\u0085a'],
    ['a delete character', 'https://example.com/\x7fa'],
    ['a lone surrogate', 'https://example.com/\ud800'],
    ['a character that XML forbids', 'https://example.com/\uffff'],
    ['a user', 'https://u@example.com/'],
    ['a user and a password', 'https://u:p@example.com/'],
    ['an empty user', 'https://@example.com/'],
    ['a port over 65535', 'https://example.com:65536/'],
    ['a port that is no number', 'https://example.com:8a/'],
    ['two ports', 'https://example.com:80:80/'],
  ])('%s', (_, given) => {
    expect(normaliseUrl(given)).toHaveProperty('problem');
  });
});

describe('length', () => {
  const base = 'https://example.com/';
  const filled = (character: string, length: number) => base + character.repeat(length - base.length);

  test('2,048 characters are accepted, and one more is not', () => {
    expect(normaliseUrl(filled('a', 2_048))).toEqual({ url: filled('a', 2_048) });
    expect(normaliseUrl(filled('a', 2_049))).toHaveProperty('problem');
  });

  test('it counts the written form: 400 emoji are 4,800 characters of escapes', () => {
    expect(normaliseUrl(base + '😀'.repeat(160))).toHaveProperty('url');
    expect(normaliseUrl(base + '😀'.repeat(400))).toHaveProperty('problem');
  });

  test('an ampersand counts as one character', () => {
    expect(normaliseUrl(filled('&', 2_048))).toHaveProperty('url');
  });
});
