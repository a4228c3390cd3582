/** The digest of entries, by a second implementation in whole numbers without vectors. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchRenderer } from '../../src/features/uploads/batch-renderer.ts';
import { anyEntry } from '../sitemap/arbitrary-entry.ts';
import { PROPERTY_RUNS } from '../support/property-runs.ts';
import { batchOf } from '../uploads/batches.ts';
import { verdictOn } from './transcoding/verdicts.ts';

const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const wrap = (value: bigint) => BigInt.asUintN(64, value);
const product = (word: bigint) => BigInt.asUintN(32, word) * (word >> 32n);
const rotated = (value: bigint, by: bigint) => wrap(value << by) | (value >> (64n - by));

function mixed(value: bigint): bigint {
  let h = wrap((value ^ (value >> 33n)) * P2);
  h = wrap((h ^ (h >> 29n)) * P3);
  return h ^ (h >> 32n);
}

function digestOf(text: string, seed: bigint): bigint {
  const xml = Buffer.from(text);
  const key = [wrap(seed * P2 + P1), wrap(seed * P2 + P3)] as const;
  let [keyA, keyB] = key;
  let [sumA, sumB] = key;
  const add = (at: number) => {
    const [a, b] = [xml.readBigUInt64LE(at), xml.readBigUInt64LE(at + 8)];
    sumA = wrap(sumA + product(a ^ keyA) + b);
    sumB = wrap(sumB + product(b ^ keyB) + a);
    keyA = wrap(keyA + P3);
    keyB = wrap(keyB + P2);
  };
  for (let at = 0; at + 16 < xml.length; at += 16) add(at);
  add(xml.length - 16);
  return mixed(mixed(wrap(sumA + BigInt(xml.length) * P3)) ^ rotated(sumB, 29n));
}

const seeds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test('it is the sum over the XML of all entries, on both paths, in any order and any batches', () => {
  fc.assert(
    fc.property(
      fc.array(anyEntry, { minLength: 1, maxLength: 6 }).chain((values) =>
        fc.record({
          values: fc.constant(values),
          shuffled: fc.shuffledSubarray(values, { minLength: values.length }),
          cut: fc.nat(values.length),
        }),
      ),
      seeds,
      ({ values, shuffled, cut }, seed) => {
        const expected = values.reduce((sum, value) => {
          const verdict = verdictOn(JSON.stringify(value));
          if (verdict.kind !== 'valid') throw new Error('must be valid');
          return wrap(sum + digestOf(verdict.xml, seed));
        }, 0n);
        const batches = [shuffled.slice(0, cut), shuffled.slice(cut)].filter(({ length }) => length > 0);
        for (const transcodes of [true, false]) {
          const renderer = new BatchRenderer(transcodes, seed);
          const sum = batches.reduce((sum, batch) => sum + sumOf(renderer, batch), 0n);
          expect(wrap(sum)).toBe(expected);
        }
      },
    ),
    { numRuns: PROPERTY_RUNS },
  );
});

test('lists that differ in one character or in repetitions have other sums', () => {
  const renderer = new BatchRenderer(true, 7n);
  const sums = new Set<bigint>();
  const lists: { loc: string }[][] = [];
  for (let at = 0; at < 60; at++) {
    for (const character of 'abcz09') {
      const path = `${'x'.repeat(at)}${character}${'x'.repeat(59 - at)}`;
      lists.push([{ loc: `https://example.com/${path}` }]);
    }
  }
  const one = { loc: 'https://example.com/' };
  lists.push([one], [one, one], [one, one, one]);
  for (const list of lists) sums.add(sumOf(renderer, list));
  expect(sums.size).toBe(lists.length);
});

function sumOf(renderer: BatchRenderer, entries: readonly object[]): bigint {
  const result = renderer.render(batchOf(entries));
  if (result.kind !== 'fragments') throw new Error(JSON.stringify(result));
  return wrap(result.fragments.reduce((sum, { digest }) => sum + digest, 0n));
}
