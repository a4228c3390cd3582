import { expect, test } from 'vitest';
import { NoncePool } from '../../../src/platform/acme/nonce-pool.ts';

test('the newest nonce comes first, each once', () => {
  const pool = new NoncePool();
  for (const nonce of ['a', 'b', 'c']) pool.add(nonce);
  expect([pool.take(), pool.take(), pool.take(), pool.take()]).toEqual(['c', 'b', 'a', undefined]);
});

test('the oldest ones are dropped', () => {
  const pool = new NoncePool();
  for (let i = 0; i < 100; i++) pool.add(`n${i}`);
  const taken = Array.from({ length: 40 }, () => pool.take()).filter((nonce) => nonce !== undefined);
  expect(taken).toHaveLength(32);
  expect(taken.at(-1)).toBe('n68');
});

test('a nonce is good for five minutes', () => {
  let now = 0;
  const pool = new NoncePool(() => now);
  pool.add('a');
  pool.add('b');
  now = 300_000;
  expect(pool.take()).toBe('b');
  now = 300_001;
  expect(pool.take()).toBeUndefined();
});

test.each([undefined, '', 'a b', 'ä', 'a'.repeat(513), ['a']])('%j is no nonce', (nonce) => {
  const pool = new NoncePool();
  pool.add(nonce);
  expect(pool.take()).toBeUndefined();
});
