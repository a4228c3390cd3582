import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cnameTargetFor } from '../../src/features/domains/cname-target.ts';
import { Secret } from '../../src/platform/secret.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

const targets = { base: 'cname.example.net', secret: new Secret('s') };

test('a target is a DNS name below the base: one label of 32 base32 characters', () => {
  fc.assert(
    fc.property(fc.string(), fc.domain(), (account, hostname) => {
      expect(cnameTargetFor(targets, account, hostname)).toMatch(/^[a-z2-7]{32}\.cname\.example\.net$/);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('the label is the beginning of an HMAC in base32 (RFC 4648)', () => {
  const [label] = cnameTargetFor(targets, 'account_1', 'maps.example.com').split('.');
  const digest = createHmac('sha256', 's').update('account_1 maps.example.com').digest();
  expect(decodeBase32(label!)).toEqual(digest.subarray(0, 20));
});

/** By integer arithmetic, unlike the encoder. */
function decodeBase32(text: string): Buffer {
  const value = Array.from(text).reduce(
    (number, character) => number * 32n + BigInt('abcdefghijklmnopqrstuvwxyz234567'.indexOf(character)),
    0n,
  );
  return Buffer.from(value.toString(16).padStart(40, '0'), 'hex');
}

test('it is constant for an account and hostname, and differs for any other', () => {
  const of = (secret: string, account: string, hostname: string) =>
    cnameTargetFor({ ...targets, secret: new Secret(secret) }, account, hostname);
  expect(of('s', 'a', 'x.example')).toBe(of('s', 'a', 'x.example'));
  const others = [
    of('s', 'a', 'x.example'),
    of('t', 'a', 'x.example'),
    of('s', 'b', 'x.example'),
    of('s', 'a', 'y.example'),
  ];
  expect(new Set(others).size).toBe(4);
});
