import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyRing, newKeyRingText, SealError } from '../../src/platform/key-ring.ts';

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const first = keyOf('k1');
const ring = new KeyRing(first);

test('what was sealed opens for the same subject', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.array(fc.string()), (secret, subject) => {
      expect(ring.open(ring.seal(secret, subject), subject)).toEqual(Buffer.from(secret));
    }),
  );
});

describe('what does not open', () => {
  const sealed = ring.seal(Buffer.from('a secret'), ['a', 'b']);
  const flipped = (at: number) => {
    const bytes = Buffer.from(sealed.bytes, 'base64');
    bytes[at]! ^= 1;
    return { ...sealed, bytes: bytes.toString('base64') };
  };

  test.each([[['a', 'c']], [['ab']], [['a', 'b', '']], [[]]])('another subject: %j', (subject) => {
    expect(() => ring.open(sealed, subject)).toThrow(SealError);
  });

  test('a flipped bit anywhere', () => {
    for (let at = 0; at < Buffer.from(sealed.bytes, 'base64').length; at++) {
      expect(() => ring.open(flipped(at), ['a', 'b'])).toThrow(SealError);
    }
  });

  test.each(['', 'AAAA', 'not base64!'])('too few bytes: %j', (bytes) => {
    expect(() => ring.open({ keyId: 'k1', bytes }, ['a', 'b'])).toThrow(SealError);
  });

  test('an unknown key, and another key with the same id', () => {
    expect(() => new KeyRing(keyOf('k2')).open(sealed, ['a', 'b'])).toThrow(/no key has the id k1/);
    expect(() => new KeyRing(keyOf('k1')).open(sealed, ['a', 'b'])).toThrow(SealError);
  });
});

test('the first key seals, and all open', () => {
  const rotated = new KeyRing(`${keyOf('k2')}, ${first}`);
  const old = ring.seal(Buffer.from('a secret'), []);
  expect(rotated.open(old, []).toString()).toBe('a secret');
  expect(rotated.keyId).toBe('k2');
  expect(rotated.seal(Buffer.alloc(1), []).keyId).toBe('k2');
});

test.each(['', 'k1', 'k1:', ':AAAA', 'k1:AAAA', `${first}:x`, `${first},`, `${first},${first}`, 'k 1:AAAA'])(
  'no ring: %j',
  (text) => {
    expect(() => new KeyRing(text)).toThrow(RangeError);
  },
);

test('a new ring is usable', () => {
  const made = new KeyRing(newKeyRingText());
  expect(made.open(made.seal(Buffer.from('x'), ['y']), ['y']).toString()).toBe('x');
});

test('a derived secret is the same for rings with the same first key, and another for each purpose', () => {
  const derived = ring.derive('tickets', 48);
  expect(derived.length).toBe(48);
  expect(new KeyRing(`${first},${keyOf('k0')}`).derive('tickets', 48)).toEqual(derived);
  expect(new KeyRing(`${keyOf('k2')},${first}`).derive('tickets', 48)).not.toEqual(derived);
  expect(ring.derive('other', 48)).not.toEqual(derived);
});
