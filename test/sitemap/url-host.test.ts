import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseHost } from '../../src/core/sitemap/url.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const label63 = 'a'.repeat(63);

test('an ASCII host that is accepted stays as given and names the same host to a WHATWG parser', () => {
  const anyHost = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.stringMatching(/^[A-Za-z0-9.\-_]{1,20}$/),
  );
  fc.assert(
    fc.property(anyHost, (given) => {
      const verdict = normaliseHost(given);
      if ('problem' in verdict) return;
      expect(verdict.host).toBe(given);
      expect(new URL(`http://${given}/`).hostname).toBe(given.toLowerCase());
    }),
    { numRuns: 10 * PROPERTY_RUNS },
  );
});

test('every domain name is accepted', () => {
  fc.assert(
    fc.property(fc.domain(), (given) => {
      expect(normaliseHost(given)).toEqual({ host: given });
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test.each(['münchen.de', 'МОСКВА.рф', 'straße.de', '例え。jp', 'WWW.Bücher.example'])(
  '%s becomes A-labels',
  (given) => {
    expect(normaliseHost(given)).toEqual({ host: domainToASCII(given) });
  },
);

describe('kept unchanged', () => {
  test.each([
    ['upper-case letters', 'WWW.Example.COM'],
    ['an underscore', 'my_shop.example.com'],
    ['a single label', 'localhost'],
    ['the trailing dot of a full name', 'example.com.'],
    ['A-labels', 'XN--mnchen-3ya.de'],
    ['an IPv4 address', '192.0.2.7'],
    ['an IPv6 address', '[2001:DB8:0::1]'],
    ['an IPv6 address that ends as IPv4', '[::ffff:192.0.2.7]'],
    ['a label of 63 characters', `${label63}.com`],
    ['253 characters', `${`${label63}.`.repeat(3)}${'a'.repeat(61)}`],
  ])('%s', (_, given) => {
    expect(normaliseHost(given)).toEqual({ host: given });
  });
});

describe('refused', () => {
  test.each([
    ['nothing', ''],
    ['an empty label', 'a..b'],
    ['an empty first label', '.example.com'],
    ['only a dot', '.'],
    ['two trailing dots', 'example.com..'],
    ['a label of 64 characters', `a${label63}.com`],
    ['254 characters', `${`${label63}.`.repeat(3)}${'a'.repeat(62)}`],
    ['a label that is too long as an A-label', `${'ü'.repeat(60)}.de`],
    ['an abbreviated IPv4 address', '1.2.3'],
    ['a hexadecimal IPv4 address', '0x7f.1'],
    ['an octal IPv4 address', '01.2.3.4'],
    ['an IPv4 address with a trailing dot', '1.2.3.4.'],
    ['a number', '2130706433'],
    ['an IPv4 address beyond 255', '1.2.3.256'],
    ['an IPv4 address of full-width digits', '１２７.0.0.1'],
    ['a wildcard', '*.example.com'],
    ['an escape', '%65xample.com'],
    ['a blank', 'exa mple.com'],
    ['a back slash', 'example.com\\a'],
    ['a zone id', '[fe80::1%25eth0]'],
    ['a bare zone id', '[fe80::1%eth0]'],
    ['brackets around a name', '[example.com]'],
    ['brackets without an end', '[::1'],
    ['a full-width slash', 'example.com／a'],
  ])('%s', (_, given) => {
    expect(normaliseHost(given)).toHaveProperty('problem');
  });
});
