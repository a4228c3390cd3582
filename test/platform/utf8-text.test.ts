import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '../../src/platform/refusal.ts';
import { Utf8Text } from '../../src/platform/utf8-text.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';

/** The text up to the first fault, and whether all of it is text. */
function read(bytes: Uint8Array, size: number) {
  const text = new Utf8Text();
  const parts: Buffer[] = [];
  const taken = () => Buffer.concat(parts);
  for (let at = 0; at < bytes.length; at += size) {
    try {
      text.push(Buffer.from(bytes.subarray(at, at + size)), (part) => parts.push(Buffer.from(part)));
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      return { taken: taken(), isText: false };
    }
  }
  return { taken: taken(), isText: text.isWhole, isEmpty: text.isEmpty };
}

// Characters that begin like a byte order mark, and the mark itself.
const unit = fc.constantFrom('\ufeff', '\ufec0', '\uff01', '\uf000', 'a', 'é', '😀', '\n');

test('any text comes as it is, without a mark before it, in chunks of any size', () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), fc.integer({ min: 1, max: 50 }), (text, size) => {
      const { taken, isText, isEmpty } = read(Buffer.from(text), size);
      expect(taken.toString()).toBe(text.replace(/^\ufeff/, ''));
      expect({ isText, isEmpty }).toEqual({ isText: true, isEmpty: text === '' });
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('any bytes are text exactly if a fatal decoder takes them', () => {
  const byte = fc.constantFrom(0x41, 0x80, 0xbb, 0xbf, 0xc3, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xff);
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 6 }), fc.integer({ min: 1, max: 7 }), (bytes, size) => {
      const { taken, isText } = read(Uint8Array.from(bytes), size);
      let decoded: string | undefined;
      try {
        decoded = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
      } catch {
        decoded = undefined;
      }
      expect(isText).toBe(decoded !== undefined);
      if (decoded !== undefined) expect(taken.toString()).toBe(decoded);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});

test('a fault is told with its place, however the bytes come', () => {
  const good = fc.string({ unit, maxLength: 12 });
  fc.assert(
    fc.property(good, good, fc.integer({ min: 1, max: 50 }), (before, after, size) => {
      // No character has this byte.
      const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
      const text = new Utf8Text(': save it as UTF-8');
      const push = () => {
        for (let at = 0; at < bytes.length; at += size) text.push(bytes.subarray(at, at + size), () => {});
      };
      const place = Buffer.byteLength(before) + 1;
      expect(push).toThrow(`it is not UTF-8 from byte ${place} on: save it as UTF-8.`);
    }),
    { numRuns: PROPERTY_RUNS },
  );
  // A character that the next chunk does not end.
  const text = new Utf8Text();
  text.push(Buffer.from([0x61, 0xe2, 0x82]), () => {});
  expect(() => text.push(Buffer.from('a'), () => {})).toThrow('it is not UTF-8 from byte 2 on.');
});
