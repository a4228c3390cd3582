import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IndexBuilder } from '../../src/features/find/index-builder.ts';
import {
  bucketRange,
  type IndexedPlace,
  placesIn,
  readIndexHead,
} from '../../src/features/find/url-index.ts';
import { casesOf } from '../support/property-runs.ts';

const SEED = 0x1234_5678_9abc_def0n;
const place = (file: number): IndexedPlace => ({ file, from: 7 * file, deflatedBytes: 3, bytes: file });

function objectOf(builder: IndexBuilder) {
  const { head, records } = builder.build();
  return { headBytes: head.length, object: Buffer.concat([head, records]) };
}

function build(files: readonly (readonly bigint[])[]) {
  const builder = new IndexBuilder(SEED, files.flat().length);
  for (const [file, hashes] of files.entries()) {
    builder.beginPlace(place(file));
    for (const hash of hashes) builder.add(Number(hash & 0xffffffffn), Number(hash >> 32n));
  }
  return objectOf(builder);
}

function lookUp({ headBytes, object }: { headBytes: number; object: Buffer }, hash: bigint) {
  const head = readIndexHead(object.subarray(0, headBytes));
  if (head === undefined) return undefined;
  const range = bucketRange(head, hash);
  if (range.offset + range.length > object.length || range.length < 0) return undefined;
  return placesIn(object.subarray(range.offset, range.offset + range.length), range, head, hash);
}

/** Few different prints and buckets, so that hashes collide. */
const hashes = fc.array(
  fc.oneof(
    fc.bigInt(0n, 2n ** 64n - 1n),
    fc.tuple(fc.bigInt(0n, 3n), fc.bigInt(0n, 3n)).map(([a, b]) => (a << 62n) | b),
  ),
  { maxLength: 800 },
);

test('each hash leads to all places that have it, and to none with another print', async () => {
  fc.assert(
    fc.property(fc.array(hashes, { minLength: 1, maxLength: 5 }), hashes, (files, others) => {
      const index = build(files);
      for (const hash of [...files.flat(), ...others]) {
        const found = lookUp(index, hash)!;
        const sure = files.flatMap((inside, file) => (inside.includes(hash) ? [place(file)] : []));
        expect(found).toEqual(expect.arrayContaining(sure));
        expect(found).toEqual(found.toSorted((a, b) => a.file - b.file));
        const print = hash & 0xffffn;
        for (const { file } of found)
          expect(files[file]!.some((one) => (one & 0xffffn) === print)).toBe(true);
      }
    }),
    { numRuns: casesOf(40) },
  );
});

test('a hash that comes ten thousand times takes little room', async () => {
  const { object, headBytes } = build([Array(10_000).fill(77n), [78n]]);
  expect(object.length - headBytes).toBeLessThan(100);
  expect(lookUp({ object, headBytes }, 77n)).toEqual([place(0)]);
});

test('any damaged byte is noticed, or does not matter', async () => {
  const all = Array.from({ length: 600 }, (_, i) => (BigInt(i) * 0x9e37_79b9_7f4a_7c15n) % 2n ** 64n);
  const index = build([all.slice(0, 300), all.slice(300)]);
  const expected = all.map((hash) => lookUp(index, hash));
  fc.assert(
    fc.property(fc.nat(index.object.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const object = Buffer.from(index.object);
      object[at]! ^= change;
      for (const [i, hash] of all.entries()) {
        const found = lookUp({ ...index, object }, hash);
        if (found !== undefined) expect(found).toEqual(expected[i]);
      }
    }),
    { numRuns: casesOf(60) },
  );
});

test('what was added for a file that cannot be read is forgotten', async () => {
  const builder = new IndexBuilder(SEED, 3);
  builder.beginPlace(place(0));
  builder.add(1, 1);
  const mark = builder.mark();
  builder.beginPlace(place(1));
  builder.add(2, 2);
  builder.add(3, 3);
  expect(() => builder.add(4, 4)).toThrow(RangeError);
  builder.forgetSince(mark);
  builder.beginPlace(place(2));
  builder.add(5, 5);
  const index = objectOf(builder);
  expect(lookUp(index, (5n << 32n) | 5n)).toEqual([place(2)]);
  expect(lookUp(index, (2n << 32n) | 2n)).toEqual([]);
});
