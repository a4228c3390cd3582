import { expect, test } from 'vitest';
import { pausesBetweenLooks } from '../../client/src/load/wait-for-load.ts';

test('the looks at a load leave most requests of a small plan to others', () => {
  const looksInMinute = new Map<number, number>();
  let at = 0;
  for (const pause of pausesBetweenLooks()) {
    at += pause;
    const minute = Math.floor(at / 60_000);
    if (minute > 2) break;
    looksInMinute.set(minute, (looksInMinute.get(minute) ?? 0) + 1);
  }
  expect(looksInMinute.get(0)).toBeLessThanOrEqual(10);
  expect(looksInMinute.get(1)).toBeLessThanOrEqual(4);
  expect(looksInMinute.get(2)).toBeLessThanOrEqual(4);
});

test('a shorter longest pause holds from the first look', () => {
  const pauses = pausesBetweenLooks(100);
  expect([pauses.next().value, pauses.next().value]).toEqual([100, 100]);
});
