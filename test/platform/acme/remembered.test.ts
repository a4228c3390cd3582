import { expect, test } from 'vitest';
import { Remembered } from '../../../src/platform/acme/remembered.ts';

test('a result is fetched once, for those who ask meanwhile too', async () => {
  let fetches = 0;
  const remembered = new Remembered(async () => ++fetches);
  expect(await Promise.all([remembered.get(), remembered.get()])).toEqual([1, 1]);
  expect(await remembered.get()).toBe(1);
});

test('a failure is not remembered', async () => {
  let fetches = 0;
  const remembered = new Remembered(async () => {
    fetches += 1;
    if (fetches === 1) throw new Error('down');
    return fetches;
  });
  await expect(remembered.get()).rejects.toThrow('down');
  expect(await remembered.get()).toBe(2);
});

test('a result is fetched again when it is old or forgotten', async () => {
  let fetches = 0;
  const old = new Remembered(async () => ++fetches, 0);
  await old.get();
  expect(await old.get()).toBe(2);
  const forgotten = new Remembered(async () => ++fetches);
  await forgotten.get();
  forgotten.forget();
  expect(await forgotten.get()).toBe(4);
});
