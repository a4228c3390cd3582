import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inPace } from '../../pages/api/in-pace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function counted() {
  const ran: string[] = [];
  return { ran, call: inPace((name: string) => ran.push(name), { atOnce: 3, everyMs: 10_000 }) };
}

test('some calls run at once, and those after them share a run', () => {
  const { ran, call } = counted();
  for (const name of ['1', '2', '3', '4', '5']) call(name);
  expect(ran).toEqual(['1', '2', '3']);
  vi.advanceTimersByTime(9999);
  expect(ran.length).toBe(3);
  vi.advanceTimersByTime(1);
  expect(ran).toEqual(['1', '2', '3', '4']);
  vi.advanceTimersByTime(60_000);
  expect(ran.length).toBe(4);
});

test('however many calls come, the pace holds', () => {
  const { ran, call } = counted();
  for (let second = 0; second < 120; second++) {
    call(String(second));
    vi.advanceTimersByTime(1000);
  }
  expect(ran.length).toBe(3 + 12);
});

test('a rest gives back as many calls as it lasts, and no more than at first', () => {
  const { ran, call } = counted();
  for (const name of ['1', '2', '3']) call(name);
  vi.advanceTimersByTime(20_000);
  for (const name of ['4', '5', '6']) call(name);
  expect(ran).toEqual(['1', '2', '3', '4', '5']);
  vi.advanceTimersByTime(600_000);
  ran.length = 0;
  for (const name of ['7', '8', '9', '10']) call(name);
  expect(ran).toEqual(['7', '8', '9']);
});
