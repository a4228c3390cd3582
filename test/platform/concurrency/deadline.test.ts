import { expect, test } from 'vitest';
import { DeadlinePassed, withinDeadline } from '../../../src/platform/concurrency/deadline.ts';

test('work that ends in time gives its result or its error', async () => {
  expect(await withinDeadline(Promise.resolve(1), 60_000)).toBe(1);
  await expect(withinDeadline(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no');
});

test('work that does not end is abandoned', async () => {
  await expect(withinDeadline(new Promise(() => {}), 1)).rejects.toThrow(DeadlinePassed);
});
