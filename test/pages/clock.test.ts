import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noteTime, timeNow } from '../../pages/api/clock.ts';
import { dayInWords } from '../../pages/parts/format.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const DAY_MS = 86_400_000;
beforeEach(() => vi.useFakeTimers({ now: NOW }));
afterEach(() => vi.useRealTimers());
const answerAt = (ms: number) => noteTime(new Date(ms).toUTCString());

test('the time is that of Waypost if the clock of the browser is off', () => {
  answerAt(NOW - DAY_MS);
  expect(timeNow()).toBe(NOW - DAY_MS);
  expect(dayInWords(new Date(NOW - DAY_MS).toISOString())).toBe('today');
  vi.advanceTimersByTime(1000);
  expect(timeNow()).toBe(NOW - DAY_MS + 1000);
});

test('a delay of the network is no difference, and a corrected clock counts again', () => {
  answerAt(NOW + DAY_MS);
  answerAt(NOW - 5000);
  expect(timeNow()).toBe(NOW);
});

test('after an answer without a date, the clock of the browser counts', () => {
  for (const date of [null, '', 'soon']) {
    answerAt(NOW + DAY_MS);
    noteTime(date);
    expect(timeNow()).toBe(NOW);
  }
});
