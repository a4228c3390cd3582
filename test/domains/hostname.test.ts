import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseHostname, TRIAL_NAMES } from '../../src/features/domains/hostname.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const RULES = { reserved: ['waypost.example.com', 'cname.example.net', 'ours.localhost'], trialNames: [] };

describe('accepted hostnames, in one form', () => {
  test.each([
    ['maps.example.com', 'maps.example.com'],
    ['Maps.EXAMPLE.Com', 'maps.example.com'],
    ['maps.example.com.', 'maps.example.com'],
    ['example.com', 'example.com'],
    ['a.b.c.d.example.co.uk', 'a.b.c.d.example.co.uk'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['MÜNCHEN.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['例え.テスト.jp', 'xn--r8jz45g.xn--zckzah.jp'],
    ['maps。example。com', 'maps.example.com'],
    ['1.2.3.4.example.com', '1.2.3.4.example.com'],
    ['mywaypost.example.com', 'mywaypost.example.com'],
    [`${'a'.repeat(63)}.example.com`, `${'a'.repeat(63)}.example.com`],
    [longName(253), longName(253)],
    ['user.github.io', 'user.github.io'],
    ['XN--BCHER-KVA.example.com', 'xn--bcher-kva.example.com'],
    ['1-2--3.example.com', '1-2--3.example.com'],
  ])('%s', (given, expected) => {
    expect(parseHostname(given, RULES)).toBe(expected);
  });
});

describe('refused hostnames, with field and value', () => {
  test.each<unknown>([
    undefined,
    null,
    5,
    {},
    '',
    '.',
    'localhost',
    'maps',
    'com',
    'co.uk',
    'github.io',
    '*.example.com',
    'a_b.example.com',
    'maps..example.com',
    '.example.com',
    'maps.example.com..',
    '-a.example.com',
    'a-.example.com',
    `${'a'.repeat(64)}.example.com`,
    longName(254),
    '127.0.0.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '::1',
    '１２７.0.0.1',
    'maps.example.com:80',
    'https://maps.example.com',
    'maps.example.com/x',
    'user@maps.example.com',
    'maps.example.com ',
    ' maps.example.com',
    'maps.exam\tple.com',
    'maps.exam\nple.com',
    'maps.\u200b.example.com',
    '2001:db8::1',
    '*',
    ['maps.example.com'],
    true,
    'maps.exam%70le.com',
    'maps.example.com\0',
    'a.local',
    'a.internal',
    'a.arpa',
    'a.home.arpa',
    'a.onion',
    'a.test',
    'a.localhost',
    'a.example',
    'a.invalid',
    'a.alt',
    'a.corp',
    'a.lan',
    'example.com.1',
    'example.c',
    '0.𝐀',
    'waypost.example.com',
    'api.waypost.example.com',
    'x.cname.example.net',
    'xn--.example.com',
    'xn--a.example.com',
    'maps.xn--0.com',
    '\u00ad.com',
    'a\u202e.example.com',
  ])('%j', (given) => {
    const error = refusalOf(() => parseHostname(given, RULES));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', options: { details: { field: 'hostname' } } });
  });
});

describe('the hostnames of trial runs', () => {
  const rules = { ...RULES, trialNames: TRIAL_NAMES };

  test.each(['Maps.Localhost', 'maps.test', 'maps.example'])('%s is accepted', (given) => {
    expect(parseHostname(given, rules)).toBe(given.toLowerCase());
  });

  test.each(['localhost', 'test', 'a.invalid', 'a.lan', 'ours.localhost', 'x.OURS.localhost.'])(
    '%s is refused nevertheless',
    (given) => {
      expect(() => parseHostname(given, rules)).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR' }),
      );
    },
  );
});

describe('any text', () => {
  const text = fc.oneof(
    fc.domain(),
    fc.domain().map((name) => name.toUpperCase()),
    fc.webAuthority(),
    fc.string({ unit: 'grapheme' }),
    fc
      .array(
        fc.oneof(fc.constantFrom('.', '-', '。', 'ß', 'İ', 'xn--', '\u200d'), fc.string({ maxLength: 3 })),
        { maxLength: 6 },
      )
      .map((parts) => `${parts.join('')}.example.com`),
  );

  test('that is accepted is a DNS name in canonical form', () => {
    fc.assert(
      fc.property(text, (given) => {
        let hostname: string;
        try {
          hostname = parseHostname(given, RULES);
        } catch {
          return;
        }
        expect(hostname).toMatch(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/);
        expect(parseHostname(hostname, RULES)).toBe(hostname);
        expect(parseHostname(`${hostname.toUpperCase()}.`, RULES)).toBe(hostname);
        // The platform's URL parser sees the same host, so browsers ask for what we store.
        expect(new URL(`http://${given}/`).hostname.replace(/\.$/, '')).toBe(hostname);
      }),
      { numRuns: PROPERTY_RUNS * 3 },
    );
  });
});

/** A name of this many characters, in labels of at most 63. */
function longName(length: number): string {
  const end = '.example.com';
  let name = '';
  while (name.length < length - end.length) name += (name.length + 1) % 64 === 0 ? '.' : 'a';
  return name + end;
}

function refusalOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
