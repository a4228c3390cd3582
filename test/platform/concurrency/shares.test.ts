import { expect, test } from 'vitest';
import { Shares } from '../../../src/platform/concurrency/shares.ts';

test('places are limited per owner and in total, and become free again', () => {
  const shares = new Shares({ inAll: 3, perOwner: 2 });
  const [a1, a2] = [shares.take('a'), shares.take('a')];
  expect(shares.take('a')).toBeUndefined();
  const b = shares.take('b');
  expect(shares.take('b')).toBeUndefined();
  a1?.();
  // A second release has no effect.
  a1?.();
  const b2 = shares.take('b');
  expect(b2).toBeDefined();
  expect(shares.take('c')).toBeUndefined();
  for (const leave of [a2, b, b2]) leave?.();
  for (const owner of ['c', 'c', 'd']) expect(shares.take(owner)).toBeDefined();
});

test('without an owner only the total limit counts', () => {
  const shares = new Shares({ inAll: 3, perOwner: 1 });
  for (const _ of [1, 2, 3]) expect(shares.take(undefined)).toBeDefined();
  expect(shares.take(undefined)).toBeUndefined();
});

test('an owner takes no more than its part of what is free, so there is something left for the next one', () => {
  const shares = new Shares({ inAll: 30, perOwner: 10, partOfFree: 0.5 });
  const takeAll = (owner: string) => {
    let taken = 0;
    while (shares.take(owner) !== undefined) taken++;
    return taken;
  };
  expect(['a', 'b', 'c', 'd'].map(takeAll)).toEqual([10, 7, 4, 3]);
  expect(shares.hasRoom(undefined, 6)).toBe(true);
});
