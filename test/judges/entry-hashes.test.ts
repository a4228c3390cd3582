/** The hashes of entries, by a second implementation in whole numbers. */
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
const rotated = (value: bigint, by: bigint) => wrap(value << by) | (value >> (64n - by));
const step = (lane: bigint, word: bigint) =>
  wrap(rotated(lane ^ wrap(rotated(wrap(word * P2), 31n) * P1), 27n) * P1 + P3);

function mixed(value: bigint): bigint {
  let h = wrap((value ^ (value >> 33n)) * P2);
  h = wrap((h ^ (h >> 29n)) * P3);
  return h ^ (h >> 32n);
}

function hashOf(text: string, seed: bigint): bigint {
  const bytes = Buffer.from(text);
  const words = Buffer.concat([bytes, Buffer.alloc(8)]);
  let [a, b] = [seed ^ P1, rotated(seed, 32n) ^ P3];
  let at = 0;
  for (; at + 16 <= bytes.length; at += 16) {
    a = step(a, words.readBigUInt64LE(at));
    b = step(b, words.readBigUInt64LE(at + 8));
  }
  if (at + 8 <= bytes.length) {
    a = step(a, words.readBigUInt64LE(at));
    at += 8;
  }
  if (at < bytes.length) b = step(b, words.readBigUInt64LE(at));
  return mixed(a ^ rotated(b, 29n) ^ wrap(BigInt(bytes.length) * P3));
}

interface EntryHashes {
  /** The hash of `loc`, then 31 bits of the hash of the rest. */
  readonly stored: string;
  readonly inDigest: bigint;
}

function hashesOf(xml: string, seed: bigint): EntryHashes {
  const { loc, rest } = /^<url><loc>(?<loc>[^<]*)<\/loc>(?<rest>.*)<\/url>\n$/s.exec(xml)!.groups!;
  const [ofLoc, ofRest] = [hashOf(loc!, seed), hashOf(rest!, wrap(~seed))];
  return { stored: `${ofLoc} ${ofRest >> 33n}`, inDigest: mixed(ofLoc ^ rotated(ofRest, 32n)) };
}

function* storedIn(hashes: Uint8Array): Generator<string, void, undefined> {
  const bytes = Buffer.from(hashes);
  for (let at = 0; at < bytes.length; at += 12)
    yield `${bytes.readBigUInt64LE(at)} ${bytes.readUInt32LE(at + 8)}`;
}

const seeds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test('each entry has its own, and the digest is their sum, on both paths, in any order and any batches', () => {
  fc.assert(
    fc.property(
      fc.array(anyEntry, { minLength: 1, maxLength: 6 }).chain((values) =>
        fc.record({
          shuffled: fc.shuffledSubarray(values, { minLength: values.length }),
          cut: fc.nat(values.length),
        }),
      ),
      seeds,
      ({ shuffled, cut }, seed) => {
        const expected = shuffled.map((value) => {
          const verdict = verdictOn(JSON.stringify(value));
          if (verdict.kind !== 'valid') throw new Error('must be valid');
          return hashesOf(verdict.xml, seed);
        });
        const batches = [shuffled.slice(0, cut), shuffled.slice(cut)].filter(({ length }) => length > 0);
        for (const transcodes of [true, false]) {
          const renderer = new BatchRenderer(transcodes, seed);
          const fragments = batches.flatMap((batch) => fragmentsOf(renderer, batch));
          expect(fragments.flatMap(({ hashes }) => [...storedIn(hashes)])).toEqual(
            expected.map(({ stored }) => stored),
          );
          const sum = fragments.reduce((sum, { digest }) => sum + digest, 0n);
          expect(wrap(sum)).toBe(wrap(expected.reduce((sum, { inDigest }) => sum + inDigest, 0n)));
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

test('entries of one origin have it in common, others none', () => {
  const renderer = new BatchRenderer(true, 7n);
  const originOf = (locs: readonly string[]) =>
    fragmentsOf(
      renderer,
      locs.map((loc) => ({ loc })),
    )[0]!.origin;
  const same = ['https://example.com/a', 'https://example.com/?b', 'https://example.com/#c'];
  expect(originOf(same)).toBe('https://example.com');
  expect(originOf(['http://example.com:8080/a'])).toBe('http://example.com:8080');
  for (const other of [
    'http://example.com/',
    'https://example.com.au/',
    'https://example.co/',
    'https://example.com:444/',
  ]) {
    expect(originOf([...same, other]), other).toBeUndefined();
    expect(originOf([other, ...same]), other).toBeUndefined();
  }
  // A fragment does not depend on the last one.
  expect(originOf(same)).toBe('https://example.com');
});

function fragmentsOf(renderer: BatchRenderer, entries: readonly object[]) {
  const result = renderer.render(batchOf(entries));
  if (result.kind !== 'fragments') throw new Error(JSON.stringify(result));
  return result.fragments;
}

function sumOf(renderer: BatchRenderer, entries: readonly object[]): bigint {
  return wrap(fragmentsOf(renderer, entries).reduce((sum, { digest }) => sum + digest, 0n));
}
