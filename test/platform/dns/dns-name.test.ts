import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalHostname, isBelow, isHostname } from '../../../src/platform/dns/dns-name.ts';
import { PROPERTY_RUNS } from '../../support/property-runs.ts';

test('any text has a stable canonical form, or none', () => {
  const text = fc.oneof(fc.domain(), fc.webAuthority(), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(text, (given) => {
      const canonical = canonicalHostname(given);
      if (canonical !== undefined) expect(canonicalHostname(canonical)).toBe(canonical);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test.each([
  ['example.com。', 'example.com'],
  ['。', undefined],
  ['.', undefined],
  ['example.com..', undefined],
  ['example.com.。', undefined],
])('%j has the canonical form %j', (given, canonical) => {
  expect(canonicalHostname(given)).toBe(canonical);
});

test.each(['localhost', 'a.example', '1.example', 'xn--bcher-kva.example', `${'a.'.repeat(126)}a`])(
  '%s is a hostname',
  (name) => expect(isHostname(name)).toBe(true),
);

test.each(['', '.', 'a..b', '-a.b', 'a.b-', '192.0.2.1', `${'a'.repeat(64)}.b`, `${'a.'.repeat(127)}a`])(
  '%j is not a hostname',
  (name) => expect(isHostname(name)).toBe(false),
);

test('a name is below itself and its parents, and not below a mere ending', () => {
  expect(isBelow('a.b.example', 'b.example')).toBe(true);
  expect(isBelow('b.example', 'b.example')).toBe(true);
  expect(isBelow('ab.example', 'b.example')).toBe(false);
  expect(isBelow('example', 'b.example')).toBe(false);
});
