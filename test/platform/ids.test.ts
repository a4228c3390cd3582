import { expect, test, vi } from 'vitest';
import { newId, randomText } from '../../src/platform/ids.ts';

test.each(['account', 'domain', 'key', 'upload'] as const)(
  '%s ids are their kind and 22 base62 characters',
  (kind) => {
    expect(newId(kind)).toMatch(new RegExp(`^${kind}_[0-9A-Za-z]{22}$`));
  },
);

test('no two of many ids are equal', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('key'));
  expect(new Set(ids).size).toBe(ids.length);
});

test('every letter and digit is equally likely', () => {
  const text = randomText(62 * 1000);
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1,000 each, standard deviation 31: eight of them never happen by chance.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(8 * 31);
});

test('uploads and events of later seconds come later in an index', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    for (const kind of ['upload', 'event'] as const) {
      const ids = ['2026-01-15', '2026-01-16', '2049-12-31', '3700-01-01'].map((day) => {
        vi.setSystemTime(new Date(`${day}T00:00:00Z`));
        return newId(kind);
      });
      expect(ids.toSorted()).toEqual(ids);
      for (const id of ids) expect(id).toMatch(new RegExp(`^${kind}_[0-9A-Za-z]{22}$`));
    }
  } finally {
    vi.useRealTimers();
  }
});
