import { expect, test } from 'vitest';
import { SingleFlight } from '../../../src/platform/concurrency/single-flight.ts';

test('concurrent calls for one key share one fetch, and the next call fetches again', async () => {
  const calls = new SingleFlight<number>();
  let fetches = 0;
  const fetch = async () => ++fetches;
  const results = await Promise.all([calls.join('a', fetch), calls.join('a', fetch), calls.join('b', fetch)]);
  expect(results).toEqual([1, 1, 2]);
  expect(await calls.join('a', fetch)).toBe(3);
});

test('a failure is shared and not kept', async () => {
  const calls = new SingleFlight<number>();
  const failing = () => calls.join('a', () => Promise.reject(new Error('no')));
  await Promise.all([expect(failing()).rejects.toThrow('no'), expect(failing()).rejects.toThrow('no')]);
  expect(await calls.join('a', async () => 1)).toBe(1);
});
