import { expect, test } from 'vitest';
import { together } from '../../../src/platform/concurrency/together.ts';

test('calls go on together, in their order, and later ones with the next', async () => {
  const others = together(5);
  const order: string[] = [];
  const call = async (name: string) => {
    await others();
    order.push(name);
    queueMicrotask(() => order.push(`after ${name}`));
  };
  const first = others();
  const calls = [call('a'), call('b')];
  expect(others()).toBe(first);
  await Promise.all(calls);
  expect(order.slice(0, 2)).toEqual(['a', 'b']);
  expect(others()).not.toBe(first);
  await others();
});
