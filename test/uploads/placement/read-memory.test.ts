import { expect, test } from 'vitest';
import { ReadMemory } from '../../../src/features/uploads/placement/entry-reader.ts';

const MiB = 1024 * 1024;

test('memory that was given back serves the next file with about as many entries', () => {
  const memory = new ReadMemory();
  const first = memory.take(600_000);
  memory.giveBack(first.buffer);
  const second = memory.take(601_000);
  expect(second.buffer).toBe(first.buffer);
  expect(memory.take(601_000).buffer).not.toBe(first.buffer);
});

test('memory is never too small, also after others were given back', () => {
  const memory = new ReadMemory();
  for (const bytes of [100, 70_000, 600_000]) memory.giveBack(memory.take(bytes).buffer);
  memory.shrink();
  expect(memory.take(65_537).length).toBeGreaterThanOrEqual(65_537);
  expect(memory.take(600_000).length).toBeGreaterThanOrEqual(600_000);
  expect(memory.take(2 * MiB).length).toBeGreaterThanOrEqual(2 * MiB);
});

test('between two readers at most 12 MiB stay, the largest', () => {
  const memory = new ReadMemory();
  const taken = [1, 4, 2, 5, 3].map((size) => memory.take(size * MiB).buffer);
  for (const buffer of taken) memory.giveBack(buffer);
  memory.shrink();
  const stayed = [3, 4, 5].map((size) => memory.take(size * MiB).buffer);
  expect(stayed.map((buffer) => taken.includes(buffer))).toEqual([true, true, true]);
  expect(taken.includes(memory.take(MiB).buffer)).toBe(false);
});
